package basalt.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Results as text, so that a check is a line: {@code r1[f:a@5=v f:b=w g:@7#DeleteFamily]}. A timestamp that the server
 * chose is left out, a value of 8 bytes that starts with a zero or 0xff is a number.
 */
final class Show {
  private static final long FIRST_CLOCK_TIME = 1_000_000_000_000L;

  private Show() {
  }

  static String cell(Cell cell) {
    StringBuilder s = new StringBuilder();
    s.append(Bytes.toStringBinary(CellUtil.cloneFamily(cell))).append(':');
    s.append(Bytes.toStringBinary(CellUtil.cloneQualifier(cell)));
    if (cell.getTimestamp() < FIRST_CLOCK_TIME) {
      s.append('@').append(cell.getTimestamp());
    }
    if (cell.getType() != Cell.Type.Put) {
      return s.append('#').append(cell.getType()).toString();
    }
    return s.append('=').append(value(CellUtil.cloneValue(cell))).toString();
  }

  static String value(byte[] value) {
    if (value == null) {
      return "null";
    }
    if (value.length == Long.BYTES && (value[0] == 0 || value[0] == -1)) {
      return Long.toString(Bytes.toLong(value));
    }
    return Bytes.toStringBinary(value);
  }

  static String result(Result result) {
    if (result == null) {
      return "null";
    }
    if (result.isEmpty()) {
      return result.getExists() == null ? "-" : "exists=" + result.getExists();
    }
    List<String> cells = new ArrayList<>();
    for (Cell cell : result.rawCells()) {
      cells.add(cell(cell));
    }
    return Bytes.toStringBinary(result.getRow()) + "[" + String.join(" ", cells) + "]";
  }

  static String results(Iterable<Result> results) {
    List<String> rows = new ArrayList<>();
    for (Result result : results) {
      rows.add(result(result));
    }
    return String.join(" ", rows);
  }

  static String scan(Table table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      return results(scanner);
    }
  }

  /** Only the row keys, a piece of a row as its key and the number of its cells. */
  static String keys(Table table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        rows.add(Bytes.toStringBinary(result.getRow()));
      }
    }
    return String.join(" ", rows);
  }

  /** Each result as its key and how many cells it has, with a + when more of the row follows. */
  static String pieces(Table table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        rows.add(Bytes.toStringBinary(result.getRow()) + "*" + result.size()
            + (result.mayHaveMoreCellsInRow() ? "+" : ""));
      }
    }
    return String.join(" ", rows);
  }
}
