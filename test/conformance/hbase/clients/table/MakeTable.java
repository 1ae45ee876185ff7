import java.util.Arrays;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Creates or drops a table of families f (5 versions) and g for clients that cannot: {@code create|drop NAME SPLIT...}. */
public final class MakeTable {
  private MakeTable() {
  }

  public static void main(String[] args) throws Exception {
    TableName name = TableName.valueOf(args[1]);
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        Admin admin = connection.getAdmin()) {
      if (args[0].equals("create")) {
        byte[][] splits = Arrays.stream(args).skip(2).map(Bytes::toBytes).toArray(byte[][]::new);
        admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(
            Bytes.toBytes("f")).setMaxVersions(5).build()).setColumnFamily(ColumnFamilyDescriptorBuilder.of("g")).build(), splits);
      } else {
        admin.disableTable(name);
        admin.deleteTable(name);
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
