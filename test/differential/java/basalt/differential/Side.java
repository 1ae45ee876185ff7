package basalt.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** One of the two servers: a connection and the table of the present chapter. */
final class Side implements AutoCloseable {
  private static final long COMPACTION_TIMEOUT_MILLIS = 60_000;

  final String name;
  private final Connection connection;
  final Admin admin;
  private TableName tableName;
  Table table;

  Side(String name, String target) throws IOException {
    this.name = name;
    Configuration conf = HBaseConfiguration.create();
    String address = target.substring(target.indexOf("://") + 3);
    if (target.startsWith("zk://")) {
      conf.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
      conf.set("hbase.zookeeper.quorum", address.substring(0, address.lastIndexOf(':')));
      conf.set("hbase.zookeeper.property.clientPort", address.substring(address.lastIndexOf(':') + 1));
    } else if (target.startsWith("rpc://")) {
      conf.set("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.RpcConnectionRegistry");
      conf.set("hbase.client.bootstrap.servers", address);
      conf.set("hbase.masters", address);
    } else {
      throw new IllegalArgumentException("a target is zk://HOST:PORT or rpc://HOST:PORT, not " + target);
    }
    conf.setLong("hbase.client.pause", 10);
    conf.setInt("hbase.client.retries.number", 4);
    conf.setInt("hbase.rpc.timeout", 30_000);
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
  }

  /** A new table takes the place of the last one. */
  void newTable(String table, List<String> splits) throws IOException {
    dropTable();
    tableName = TableName.valueOf(table);
    List<byte[]> keys = new ArrayList<>();
    for (String split : splits) {
      keys.add(Bytes.toBytes(split));
    }
    admin.createTable(TableDescriptorBuilder.newBuilder(tableName)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Schema.ONE).setMaxVersions(1).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Schema.THREE).setMaxVersions(3).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Schema.MANY).setMaxVersions(Schema.MANY_VERSIONS).build())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Schema.KEPT).setMaxVersions(Schema.MANY_VERSIONS)
            .setKeepDeletedCells(KeepDeletedCells.TRUE).build())
        // A compaction that HBase starts by itself may take all files, and then drops delete markers like a major one.
        .setValue("hbase.hstore.compaction.min", "1000")
        .setValue("hbase.hstore.blockingStoreFiles", "1000")
        .build(), keys.toArray(new byte[0][]));
    this.table = connection.getTable(tableName);
  }

  void dropTable() throws IOException {
    if (tableName != null) {
      table.close();
      admin.disableTable(tableName);
      admin.deleteTable(tableName);
      tableName = null;
    }
  }

  /** The regions that hold rows of this prefix. */
  private List<RegionInfo> regions(String prefix) throws IOException {
    List<RegionInfo> regions = new ArrayList<>();
    byte[] first = Bytes.toBytes(prefix);
    byte[] last = Bytes.toBytes(prefix + "~");
    for (RegionInfo region : admin.getRegions(tableName)) {
      boolean endsBefore = region.getEndKey().length > 0 && Bytes.compareTo(region.getEndKey(), first) <= 0;
      if (!endsBefore && Bytes.compareTo(region.getStartKey(), last) <= 0) {
        regions.add(region);
      }
    }
    return regions;
  }

  void flush(String prefix) throws IOException {
    for (RegionInfo region : regions(prefix)) {
      admin.flushRegion(region.getRegionName());
    }
  }

  /** Flushes, since a compaction leaves alone what is in memory, and returns when the compaction is over. */
  void majorCompact(String prefix) throws IOException, InterruptedException {
    List<RegionInfo> regions = regions(prefix);
    for (RegionInfo region : regions) {
      long before = System.currentTimeMillis();
      admin.flushRegion(region.getRegionName());
      admin.majorCompactRegion(region.getRegionName());
      // A server may take a moment before it says that it compacts; only then does NONE mean that it is over.
      boolean seen = false;
      while (System.currentTimeMillis() - before < COMPACTION_TIMEOUT_MILLIS) {
        boolean none = admin.getCompactionStateForRegion(region.getRegionName()) == CompactionState.NONE;
        seen |= !none;
        if (none && (seen || System.currentTimeMillis() - before > 300)) {
          break;
        }
        Thread.sleep(5);
      }
    }
  }

  /** Everything of these rows, markers too. */
  String raw(String prefix) throws IOException {
    return Show.scan(table, new Scan().withStartRow(Bytes.toBytes(prefix)).withStopRow(Bytes.toBytes(prefix + "~"))
        .setRaw(true).readAllVersions(), prefix);
  }

  @Override
  public void close() throws IOException {
    admin.close();
    connection.close();
  }
}
