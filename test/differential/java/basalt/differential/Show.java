package basalt.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.ipc.RemoteException;

/** Results as text that is equal on both sides: without the epoch's prefix, and with "now" for the servers' clocks. */
final class Show {
  private static final long FIRST_CLOCK_TIME = 1_000_000_000_000L;

  private Show() {
  }

  static String cell(Cell cell, String prefix) {
    String row = Bytes.toStringBinary(CellUtil.cloneRow(cell));
    if (row.startsWith(prefix)) {
      row = row.substring(prefix.length());
    }
    String at = cell.getTimestamp() < FIRST_CLOCK_TIME ? Long.toString(cell.getTimestamp()) : "now";
    return row + "/" + Bytes.toStringBinary(CellUtil.cloneFamily(cell)) + ":" + Bytes.toStringBinary(CellUtil.cloneQualifier(cell))
        + "@" + at + (cell.getType() == Cell.Type.Put ? "=" + Bytes.toStringBinary(CellUtil.cloneValue(cell)) : "#" + cell.getType());
  }

  /**
   * An outcome of any kind. Cells are sorted: those of several increments and appends of a row follow each other in HBase,
   * which a Result cannot look up.
   */
  static String any(Object o, String prefix) {
    if (o instanceof Result) {
      return sorted((Result) o, prefix);
    }
    if (o instanceof CheckAndMutateResult) {
      CheckAndMutateResult result = (CheckAndMutateResult) o;
      return result.isSuccess() + (result.getResult() == null ? "" : sorted(result.getResult(), prefix));
    }
    return o instanceof Throwable ? exception((Throwable) o) : String.valueOf(o);
  }

  static String result(Result result, String prefix) {
    return result(result, cells(result, prefix));
  }

  private static String sorted(Result result, String prefix) {
    List<String> cells = cells(result, prefix);
    Collections.sort(cells);
    return result(result, cells);
  }

  private static String result(Result result, List<String> cells) {
    if (cells.isEmpty()) {
      return result.getExists() == null ? "-" : "exists=" + result.getExists();
    }
    return "[" + String.join(" ", cells) + "]";
  }

  private static List<String> cells(Result result, String prefix) {
    List<String> cells = new ArrayList<>();
    if (!result.isEmpty()) {
      for (Cell cell : result.rawCells()) {
        cells.add(cell(cell, prefix));
      }
    }
    return cells;
  }

  /** The server's exception, without the client's wrappers. */
  static String exception(Throwable t) {
    if (t instanceof org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException) {
      t = ((org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException) t).getCause(0);
    }
    while (t.getCause() != null && !(t.getCause() instanceof RemoteException)) {
      t = t.getCause();
    }
    return "!" + t.getClass().getSimpleName();
  }

  /** The rows of a scan; where a row was cut into pieces by size, which is each server's own affair, they are joined. */
  static String scan(Table table, Scan scan, String prefix) throws IOException {
    StringBuilder s = new StringBuilder();
    boolean pieces = scan.getBatch() > 0 && scan.getMaxResultSize() < 0;
    byte[] last = null;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result; (result = scanner.next()) != null;) {
        boolean same = last != null && Bytes.equals(last, result.getRow());
        s.append(same && !pieces ? " " : "\n");
        String text = result(result, prefix);
        s.append(pieces ? text : text.substring(1, text.length() - 1));
        last = result.getRow();
      }
    }
    return s.toString();
  }
}
