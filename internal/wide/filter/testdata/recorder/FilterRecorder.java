import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.FilterProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * Asks a real HBase what filters do. Each line of the input is a command; bytes are hexadecimal, "-" when empty.
 *
 *   table NAME FAMILY,FAMILY VERSIONS    (re)creates the table
 *   put ROW FAMILY QUALIFIER TS VALUE    is sent with the next scan
 *   scan 0|1 CLASS SERIALIZED            1: reversed; answers one line: ok CELL CELL ... or error TEXT
 *   drop                                 answers: dropped
 */
public class FilterRecorder {
  private static final int VERSIONS = 5;

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hbase.client.retries.number", 1);
    conf.setInt("hbase.client.operation.timeout", 20000);
    conf.setInt("hbase.client.scanner.timeout.period", 20000);
    try (Connection c = ConnectionFactory.createConnection(conf); Admin admin = c.getAdmin();
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
      TableName name = null;
      List<Put> puts = new ArrayList<>();
      for (String line; (line = in.readLine()) != null;) {
        String[] w = line.split(" ");
        switch (w[0]) {
          case "table":
            name = TableName.valueOf(w[1]);
            drop(admin, name);
            TableDescriptorBuilder b = TableDescriptorBuilder.newBuilder(name);
            for (String family : w[2].split(",")) {
              b.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family))
                .setMaxVersions(Integer.parseInt(w[3])).build());
            }
            admin.createTable(b.build());
            break;
          case "put":
            puts.add(new Put(bytes(w[1])).addColumn(bytes(w[2]), bytes(w[3]), Long.parseLong(w[4]), bytes(w[5])));
            break;
          case "scan":
            try (Table t = c.getTable(name)) {
              if (!puts.isEmpty()) {
                t.put(puts);
                puts.clear();
              }
              System.out.println(scan(t, w[1].equals("1"), w[2], bytes(w[3])));
            }
            break;
          case "drop":
            drop(admin, name);
            System.out.println("dropped");
            break;
        }
      }
    }
  }

  private static void drop(Admin admin, TableName name) throws Exception {
    if (admin.tableExists(name)) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
  }

  private static String scan(Table t, boolean reversed, String name, byte[] serialized) {
    StringBuilder out = new StringBuilder("ok");
    try {
      Filter f = ProtobufUtil.toFilter(FilterProtos.Filter.newBuilder().setName(name)
        .setSerializedFilter(ByteString.copyFrom(serialized)).build());
      try (ResultScanner rows =
        t.getScanner(new Scan().setFilter(f).readVersions(VERSIONS).setReversed(reversed)
          .setLoadColumnFamiliesOnDemand(false))) {
        for (Result row : rows) {
          for (Cell x : row.rawCells()) {
            out.append(' ').append(hex(CellUtil.cloneRow(x))).append('/').append(hex(CellUtil.cloneFamily(x)))
              .append('/').append(hex(CellUtil.cloneQualifier(x))).append('/').append(x.getTimestamp())
              .append('/').append(hex(CellUtil.cloneValue(x)));
          }
        }
      }
    } catch (Exception e) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      String text = (cause.getClass().getSimpleName() + ": " + cause.getMessage()).split("\n")[0];
      return "error " + text;
    }
    return out.toString();
  }

  private static byte[] bytes(String s) {
    return s.equals("-") ? new byte[0] : Bytes.fromHex(s);
  }

  private static String hex(byte[] b) {
    return b.length == 0 ? "-" : Bytes.toHex(b);
  }
}
