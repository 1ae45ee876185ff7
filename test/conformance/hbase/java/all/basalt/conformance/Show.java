package basalt.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.VersionInfo;

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

  /**
   * All results of a scan. The scanner of the 3.0.0-beta-1 client loses its own wake-up, and waits for ever, when it has
   * stopped reading ahead and the first answer of the next region arrives before it listens. A small result size makes it
   * stop at every result, and a fast server answers in time for that: then the scan goes through the asynchronous table,
   * which never stops.
   */
  static List<Result> read(Connection connection, Table table, Scan scan) throws IOException {
    List<Result> results = new ArrayList<>();
    if (scan.getMaxResultSize() > 0 && VersionInfo.getVersion().startsWith("3.")) {
      try {
        AsyncConnection async = (AsyncConnection) Connection.class.getMethod("toAsyncConnection").invoke(connection);
        return async.getTable(table.getName()).scanAll(scan).get(60, TimeUnit.SECONDS);
      } catch (ReflectiveOperationException | InterruptedException | ExecutionException | TimeoutException e) {
        throw new IOException(e);
      }
    }
    try (ResultScanner scanner = table.getScanner(scan)) {
      scanner.forEach(results::add);
    }
    return results;
  }

  static String scan(Table table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      return results(scanner);
    }
  }

  /** Only the row keys. */
  static String keys(Connection connection, Table table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    for (Result result : read(connection, table, scan)) {
      rows.add(Bytes.toStringBinary(result.getRow()));
    }
    return String.join(" ", rows);
  }

  /** Each result as its key and how many cells it has, with a + when more of the row follows. */
  static String pieces(Connection connection, Table table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    for (Result result : read(connection, table, scan)) {
      rows.add(Bytes.toStringBinary(result.getRow()) + "*" + result.size() + (result.mayHaveMoreCellsInRow() ? "+" : ""));
    }
    return String.join(" ", rows);
  }
}
