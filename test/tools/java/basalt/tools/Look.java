package basalt.tools;

import java.io.IOException;
import java.util.function.ToLongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** What a tool left in its table, told by a scan of all of it. Each method returns what is wrong, or null. */
final class Look {
  private Look() {}

  static String rows(Configuration conf, String table, long min, long max, String cells) throws IOException {
    long rows = 0;
    byte[] last = null;
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Table t = connection.getTable(TableName.valueOf(table));
        ResultScanner scanner = t.getScanner(new Scan().setCaching(500).setCacheBlocks(false))) {
      for (Result result : scanner) {
        rows++;
        if (!cells.equals("any") && result.size() != Integer.parseInt(cells)) {
          return result.size() + " cells instead of " + cells + " in " + Bytes.toStringBinary(result.getRow());
        }
        if (last != null && Bytes.compareTo(last, result.getRow()) >= 0) {
          return "row " + Bytes.toStringBinary(result.getRow()) + " after " + Bytes.toStringBinary(last);
        }
        last = result.getRow();
      }
    }
    return min <= rows && rows <= max ? null : rows + " rows instead of " + (min == max ? "" : min + " to ") + max;
  }

  static String sum(Configuration conf, String table, String column, long want) throws IOException {
    return add(conf, table, column, want, cell -> Bytes.toLong(CellUtil.cloneValue(cell)));
  }

  static String bytes(Configuration conf, String table, String column, long want) throws IOException {
    return add(conf, table, column, want, Cell::getValueLength);
  }

  private static String add(Configuration conf, String table, String column, long want, ToLongFunction<Cell> of)
      throws IOException {
    long sum = 0;
    byte[][] name = CellUtil.parseColumn(Bytes.toBytes(column));
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Table t = connection.getTable(TableName.valueOf(table));
        ResultScanner scanner = t.getScanner(new Scan().addColumn(name[0], name[1]))) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          sum += of.applyAsLong(cell);
        }
      }
    }
    return sum == want ? null : sum + " instead of " + want;
  }
}
