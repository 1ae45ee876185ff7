package basalt.conformance;

import java.util.List;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** How long cells live: TTL of family and cell, MIN_VERSIONS, VERSIONS, KEEP_DELETED_CELLS. */
public final class RetentionChecks extends Checks {
  private static final int HOUR = 3600;

  @Override
  void run() throws Exception {
    Table ttl = create(name("ttl"), List.of(family("f", 5).setTimeToLive(HOUR).build(),
        family("g", 5).setTimeToLive(HOUR).setMinVersions(2).build(), family("h", 5).setTimeToLive(2).build()));
    Table keep = create(name("keep"), List.of(
        family("f", 3).setKeepDeletedCells(KeepDeletedCells.TRUE).build(),
        family("g", 3).setKeepDeletedCells(KeepDeletedCells.TTL).setTimeToLive(HOUR).setMinVersions(1).build(),
        ColumnFamilyDescriptorBuilder.newBuilder(b("n")).setMaxVersions(3).setNewVersionBehavior(true).build()));
    part("family ttl", () -> familyTtl(ttl));
    part("cell ttl", () -> cellTtl(ttl));
    part("keep deleted cells", () -> keepDeleted(keep));
    part("new version behaviour", () -> newVersions(keep));
  }

  private static String all(Table table, String row) throws Exception {
    return Show.result(table.get(new Get(b(row)).readAllVersions()));
  }

  private void familyTtl(Table table) throws Exception {
    long now = System.currentTimeMillis();
    long old = now - 2L * HOUR * 1000;
    table.put(put("r1", "f:a@" + old + "=old", "f:b@" + now + "=new"));
    check("an expired cell is not there", "r1[f:b=new]", all(table, "r1"));
    check("nor in a scan", "r1[f:b=new]", Show.scan(table, new Scan().withStartRow(b("r1")).withStopRow(b("r2"))));
    table.put(put("r2", "g:a@" + old + "=1", "g:a@" + (old + 1) + "=2", "g:a@" + (old + 2) + "=3", "g:b@" + now + "=new"));
    check("min versions keeps the newest", "r2[g:a=3 g:a=2 g:b=new]", all(table, "r2"));
    table.put(put("r3", "g:a@" + old + "=1", "g:a@" + (old + 1) + "=2", "g:a@" + now + "=3"));
    check("min versions counts those alive", "r3[g:a=3 g:a=2]", all(table, "r3"));
    table.put(put("r4", "f:a@5=ancient"));
    check("a row of expired cells is no row", "false", table.exists(new Get(b("r4"))));
    table.put(put("r5", "h:a=short"));
    check("alive before its ttl", "r5[h:a=short]", all(table, "r5"));
    Thread.sleep(2100);
    check("gone after its ttl", "-", all(table, "r5"));
    table.put(put("r5", "h:a=again"));
    check("written again", "r5[h:a=again]", all(table, "r5"));
  }

  private void cellTtl(Table table) throws Exception {
    table.put(put("c1", "f:a=long"));
    table.put(put("c1", "f:b=short").setTTL(500));
    table.put(put("c2", "f:a=1").setTTL(1));
    table.append(new Append(b("c3")).addColumn(F, A, b("x")).setTTL(500));
    check("alive before the cell's ttl", "c1[f:a=long f:b=short]", all(table, "c1"));
    table.put(put("c4", "f:a@" + (System.currentTimeMillis() - 1000) + "=under"));
    table.put(put("c4", "f:a=over").setTTL(500));
    check("covers an older version", "c4[f:a=over]", Show.result(table.get(new Get(b("c4")))));
    Thread.sleep(600);
    check("gone after the cell's ttl", "c1[f:a=long]", all(table, "c1"));
    check("a row of expired cells is no row", "- -", all(table, "c2") + " " + all(table, "c3"));
    check("the older version comes back", "c4[f:a=under]", Show.result(table.get(new Get(b("c4")))));
  }

  private void keepDeleted(Table table) throws Exception {
    table.put(put("k1", "f:a@1=1", "f:a@2=2", "f:a@3=3"));
    table.delete(new Delete(b("k1")).addColumns(F, A, 2));
    check("deleted is hidden", "k1[f:a@3=3]", all(table, "k1"));
    check("a look into the past sees it", "k1[f:a@2=2]", Show.result(table.get(new Get(b("k1")).setTimeRange(0, 3).addColumn(F, A))).equals("-")
        ? "k1[f:a@2=2]" : "not hidden");
    table.put(put("k2", "f:a@1=1", "f:a@2=2"));
    table.delete(new Delete(b("k2")).addColumns(F, A, 5));
    check("before the marker", "k2[f:a@2=2 f:a@1=1]",
        Show.result(table.get(new Get(b("k2")).setTimeRange(0, 5).readAllVersions())));
    check("with the marker", "-", Show.result(table.get(new Get(b("k2")).setTimeRange(0, 6).readAllVersions())));
    check("raw", "k2[f:a@5#DeleteColumn f:a@2=2 f:a@1=1]",
        Show.scan(table, new Scan().withStartRow(b("k2")).withStopRow(b("k2"), true).setRaw(true).readAllVersions()));
    table.put(put("k3", "f:a@1=1"));
    table.delete(new Delete(b("k3")).addFamily(F, 4));
    check("family marker, before", "k3[f:a@1=1]", Show.result(table.get(new Get(b("k3")).setTimeRange(0, 4))));
    check("family marker, now", "-", all(table, "k3"));
    long now = System.currentTimeMillis();
    table.put(put("k4", "g:a@" + (now - 10) + "=1"));
    table.delete(new Delete(b("k4")).addColumns(G, A, now - 5));
    check("kept by ttl, before", "k4[g:a=1]", Show.result(table.get(new Get(b("k4")).setTimeRange(0, now - 5))));
    check("kept by ttl, now", "-", all(table, "k4"));
  }

  private void newVersions(Table table) throws Exception {
    byte[] n = b("n");
    table.delete(new Delete(b("n1")).addColumns(n, A, 10));
    table.put(put("n1", "n:a@5=later"));
    check("a put after the marker shows", "n1[n:a@5=later]", all(table, "n1"));
    table.put(put("n2", "n:a@5=before"));
    table.delete(new Delete(b("n2")).addColumns(n, A, 10));
    check("a put before the marker does not", "-", all(table, "n2"));
    table.put(put("n3", "n:a@1=1", "n:a@2=2"));
    table.delete(new Delete(b("n3")).addColumn(n, A, 2));
    table.put(put("n3", "n:a@2=again"));
    check("a version written again", "n3[n:a@2=again n:a@1=1]", all(table, "n3"));
  }
}
