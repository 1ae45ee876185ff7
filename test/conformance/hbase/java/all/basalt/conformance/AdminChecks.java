package basalt.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** Tables, families and namespaces. */
public final class AdminChecks extends Checks {
  @Override
  void run() throws Exception {
    part("create", this::create);
    part("attributes", this::attributes);
    part("list", this::list);
    part("states", this::states);
    part("alter", this::alter);
    part("truncate", this::truncate);
    part("namespaces", this::namespaces);
    part("errors", this::errors);
    part("cluster", this::cluster);
  }

  private void create() throws Exception {
    TableName name = name("create");
    check("not there before", false, admin.tableExists(name));
    create(name, List.of(family("f", 1).build()), "b", "c", "d");
    check("there", "true true true false", admin.tableExists(name) + " " + admin.isTableAvailable(name) + " "
        + admin.isTableEnabled(name) + " " + admin.isTableDisabled(name));
    check("regions", 4, admin.getRegions(name).size());
    TableName even = name("even");
    admin.createTable(TableDescriptorBuilder.newBuilder(even).setColumnFamily(family("f", 1).build()).build(),
        b("10"), b("90"), 5);
    check("regions over a range", "5 10 90", admin.getRegions(even).size() + " "
        + new String(admin.getRegions(even).get(1).getStartKey()) + " " + new String(admin.getRegions(even).get(4).getStartKey()));
    drop(even);
    check("gone", false, admin.tableExists(even));
    create(even, List.of(family("g", 1).build()));
    check("created again, other family", "[g] 1", families(even) + " " + admin.getRegions(even).size());
    try (Table table = connection.getTable(even)) {
      check("and empty", "", Show.scan(table, new Scan()));
      table.put(put("r", "g:a=1"));
      check("and usable", "r[g:a=1]", Show.scan(table, new Scan()));
    }
  }

  private String families(TableName name) throws Exception {
    List<String> names = new ArrayList<>();
    for (ColumnFamilyDescriptor family : admin.getDescriptor(name).getColumnFamilies()) {
      names.add(family.getNameAsString());
    }
    return names.toString();
  }

  private void attributes() throws Exception {
    TableName name = name("attributes");
    ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.newBuilder(b("f")).setMaxVersions(7).setMinVersions(2)
        .setTimeToLive(86400).setKeepDeletedCells(KeepDeletedCells.TTL).setBlocksize(32768).setBloomFilterType(BloomType.ROWCOL)
        .setInMemory(true).setBlockCacheEnabled(false).setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
        .setCompressionType(Compression.Algorithm.GZ).setScope(1).setValue("mine", "yes").build();
    TableDescriptor table = TableDescriptorBuilder.newBuilder(name).setColumnFamily(family)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g")).setDurability(Durability.ASYNC_WAL)
        .setMaxFileSize(1L << 30).setMemStoreFlushSize(1L << 26).setCompactionEnabled(true).setValue("owner", "me").build();
    admin.createTable(table);
    TableDescriptor read = admin.getDescriptor(name);
    check("a family's attributes come back", new TreeMap<>(family.getValues()), asked(family, read.getColumnFamily(F)));
    ColumnFamilyDescriptor defaults = ColumnFamilyDescriptorBuilder.of("g");
    check("a family's defaults come back", new TreeMap<>(defaults.getValues()), asked(defaults, read.getColumnFamily(G)));
    check("a table's attributes come back", "ASYNC_WAL " + (1L << 30) + " " + (1L << 26) + " true me", read.getDurability() + " "
        + read.getMaxFileSize() + " " + read.getMemStoreFlushSize() + " " + read.isCompactionEnabled() + " " + read.getValue("owner"));
    check("through the table", table.getColumnFamilyNames().size(), connection.getTable(name).getDescriptor().getColumnFamilyCount());
  }

  /** The values of those attributes that the client sent: a server adds those that a newer client knows. */
  private static Map<Bytes, Bytes> asked(ColumnFamilyDescriptor sent, ColumnFamilyDescriptor read) {
    Map<Bytes, Bytes> values = new TreeMap<>(read.getValues());
    values.keySet().retainAll(sent.getValues().keySet());
    return values;
  }

  private void list() throws Exception {
    TableName one = name("list_one");
    TableName two = name("list_two");
    create(one, List.of(family("f", 1).build()));
    create(two, List.of(family("f", 1).build()));
    Pattern mine = Pattern.compile(prefix + "_list_.*");
    check("names by pattern", Arrays.asList(one, two).toString(), Arrays.toString(admin.listTableNames(mine)));
    check("a pattern must match in full", 0, admin.listTableNames(Pattern.compile(prefix + "_list")).length);
    check("names contain them", true, Arrays.asList(admin.listTableNames()).containsAll(List.of(one, two)));
    check("descriptors by pattern", 2, admin.listTableDescriptors(mine).size());
    check("descriptors by name", "[" + two + "]", names(admin.listTableDescriptors(List.of(two))));
    check("no system tables", false, Arrays.asList(admin.listTableNames()).contains(TableName.META_TABLE_NAME));
    check("names of the namespace", true, Arrays.asList(admin.listTableNamesByNamespace("default")).contains(one));
    check("meta exists", true, admin.tableExists(TableName.META_TABLE_NAME));
  }

  private static String names(List<TableDescriptor> tables) {
    List<String> names = new ArrayList<>();
    for (TableDescriptor table : tables) {
      names.add(table.getTableName().getNameAsString());
    }
    return names.toString();
  }

  private void states() throws Exception {
    TableName name = name("states");
    Table table = create(name, List.of(family("f", 1).build()), "m");
    table.put(List.of(put("a", "f:a@1=1"), put("z", "f:a@1=2")));
    admin.disableTable(name);
    check("disabled", "false true", admin.isTableEnabled(name) + " " + admin.isTableDisabled(name));
    fails("get of a disabled table", "TableNotEnabledException", "", () -> connection.getTable(name).get(new Get(b("a"))));
    fails("disable it again", "TableNotEnabledException", "", () -> admin.disableTable(name));
    admin.enableTable(name);
    check("enabled", "true false", admin.isTableEnabled(name) + " " + admin.isTableDisabled(name));
    fails("enable it again", "TableNotDisabledException", "", () -> admin.enableTable(name));
    check("with its rows", "a[f:a@1=1] z[f:a@1=2]", Show.scan(table, new Scan()));
    fails("delete an enabled table", "TableNotDisabledException", "", () -> admin.deleteTable(name));
  }

  private void alter() throws Exception {
    TableName name = name("alter");
    Table table = create(name, List.of(family("f", 1).build(), family("x", 1).build()));
    table.put(put("r", "f:a@1=1", "f:a@2=2", "x:a@1=1"));
    admin.addColumnFamily(name, family("g", 3).build());
    check("add family", "[f, g, x]", families(name));
    table.put(put("r", "g:a@1=1", "g:a@2=2"));
    check("the new family takes writes", "r[f:a@2=2 g:a@2=2 g:a@1=1 x:a@1=1]", Show.scan(table, new Scan().readAllVersions()));
    admin.modifyColumnFamily(name, family("f", 4).build());
    check("modify family", 4, admin.getDescriptor(name).getColumnFamily(F).getMaxVersions());
    table.put(put("r", "f:a@3=3"));
    check("more versions from then on", "f:a@3=3", Show.scan(table, new Scan().addFamily(F).readAllVersions()).substring(2, 9));
    admin.deleteColumnFamily(name, b("x"));
    check("delete family", "[f, g]", families(name));
    fails("the family is gone", "NoSuchColumnFamilyException", "", () -> table.put(put("r", "x:a@1=1")));
    admin.addColumnFamily(name, family("x", 1).build());
    check("added again it is empty", "", Show.scan(table, new Scan().addFamily(b("x"))));
    admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(name)).setValue("k", "v").setReadOnly(true).build());
    check("modify table", "v true", admin.getDescriptor(name).getValue("k") + " " + admin.getDescriptor(name).isReadOnly());
    fails("write to a read-only table", "DoNotRetryIOException", "read only", () -> table.put(put("r", "f:a@9=9")));
    admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(name)).setReadOnly(false).build());
    table.put(put("r", "f:a@9=9"));
    check("writable again", "r[f:a@9=9]", Show.scan(table, new Scan().addFamily(F)));
  }

  private void truncate() throws Exception {
    TableName name = name("truncate");
    Table table = create(name, List.of(family("f", 3).build()), "m", "s");
    table.put(List.of(put("a", "f:a@1=1"), put("z", "f:a@1=2")));
    admin.disableTable(name);
    admin.truncateTable(name, true);
    check("truncate keeps the splits", "3 true", admin.getRegions(name).size() + " " + admin.isTableEnabled(name));
    check("truncated", "", Show.scan(connection.getTable(name), new Scan()));
    table.put(put("a", "f:a@1=new"));
    check("usable", "a[f:a@1=new]", Show.scan(connection.getTable(name), new Scan()));
    admin.disableTable(name);
    admin.truncateTable(name, false);
    check("truncate without the splits", "1 3", admin.getRegions(name).size() + " "
        + admin.getDescriptor(name).getColumnFamily(F).getMaxVersions());
  }

  private void namespaces() throws Exception {
    String ns = prefix.replace("conf_", "ns_");
    admin.createNamespace(NamespaceDescriptor.create(ns).addConfiguration("k", "v").build());
    check("namespace", "v", admin.getNamespaceDescriptor(ns).getConfigurationValue("k"));
    TreeSet<String> names = new TreeSet<>();
    for (NamespaceDescriptor descriptor : admin.listNamespaceDescriptors()) {
      names.add(descriptor.getName());
    }
    check("listed", true, names.containsAll(List.of("default", "hbase", ns)));
    TableName name = TableName.valueOf(ns, "t");
    Table table = create(name, List.of(family("f", 1).build()), "m");
    table.put(List.of(put("a", "f:a@1=1"), put("z", "f:a@1=1")));
    check("its table", "a[f:a@1=1] z[f:a@1=1]", Show.scan(table, new Scan()));
    check("tables of the namespace", "[" + ns + ":t]", Arrays.toString(admin.listTableNamesByNamespace(ns)));
    check("descriptors of the namespace", 1, admin.listTableDescriptorsByNamespace(b(ns)).size());
    fails("delete a namespace with tables", "", "", ns);
    drop(name);
    admin.modifyNamespace(NamespaceDescriptor.create(ns).addConfiguration("k", "w").build());
    check("modified", "w", admin.getNamespaceDescriptor(ns).getConfigurationValue("k"));
    fails("create it again", "NamespaceExistException", "", () -> admin.createNamespace(NamespaceDescriptor.create(ns).build()));
    admin.deleteNamespace(ns);
    fails("deleted", "NamespaceNotFoundException", "", () -> admin.getNamespaceDescriptor(ns));
    fails("table in no namespace", "NamespaceNotFoundException", "",
        () -> create(TableName.valueOf(ns, "u"), List.of(family("f", 1).build())));
  }

  /** The exception is the server's own, which a client may not know by name: any will do. */
  private void fails(String name, String exception, String text, String ns) {
    try {
      admin.deleteNamespace(ns);
      check(name, "an exception", "none");
    } catch (Exception e) {
      check(name, "an exception", "an exception");
    }
  }

  private void errors() throws Exception {
    TableName name = name("errors");
    create(name, List.of(family("f", 1).build()));
    TableName none = TableName.valueOf(prefix + "_none");
    fails("create an existing table", "TableExistsException", "", () -> create(name, List.of(family("f", 1).build())));
    fails("delete no table", "TableNotFoundException", "", () -> admin.deleteTable(none));
    fails("disable no table", "TableNotFoundException", "", () -> admin.disableTable(none));
    fails("enable no table", "TableNotFoundException", "", () -> admin.enableTable(none));
    fails("describe no table", "TableNotFoundException", "", () -> admin.getDescriptor(none));
    fails("truncate no table", "TableNotFoundException", "", () -> admin.truncateTable(none, false));
    fails("alter no table", "TableNotFoundException", "", () -> admin.addColumnFamily(none, family("g", 1).build()));
    fails("truncate an enabled table", "TableNotDisabledException", "", () -> admin.truncateTable(name, false));
    fails("add a family twice", "InvalidFamilyOperationException", "", () -> admin.addColumnFamily(name, family("f", 1).build()));
    fails("modify no family", "InvalidFamilyOperationException", "", () -> admin.modifyColumnFamily(name, family("g", 1).build()));
    fails("delete no family", "InvalidFamilyOperationException", "", () -> admin.deleteColumnFamily(name, G));
    fails("a table without families", "DoNotRetryIOException", "", () -> admin.createTable(
        TableDescriptorBuilder.newBuilder(none).build()));
    fails("no namespace", "NamespaceNotFoundException", "", () -> admin.getNamespaceDescriptor(prefix));
  }

  private void cluster() throws Exception {
    ClusterMetrics metrics = admin.getClusterMetrics(EnumSet.allOf(ClusterMetrics.Option.class));
    check("a live server", 1, metrics.getLiveServerMetrics().size());
    check("a master", true, metrics.getMasterName().getPort() > 0);
    check("a version and an id", true, !metrics.getHBaseVersion().isEmpty() && !metrics.getClusterId().isEmpty());
    check("its load", true, metrics.getLiveServerMetrics().values().iterator().next().getMaxHeapSize().getLongValue() > 0);
    check("region servers", 1, admin.getRegionServers().size());
    check("balancer switch", "true", balancer());
    check("split switch", true, admin.isSplitEnabled());
    check("merge switch", true, admin.isMergeEnabled());
  }

  private String balancer() throws Exception {
    boolean before = admin.isBalancerEnabled();
    boolean previous = admin.balancerSwitch(before, true);
    return String.valueOf(previous == before && admin.isBalancerEnabled() == before);
  }
}
