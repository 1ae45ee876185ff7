package basalt.conformance;

import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;

/** Single puts, gets and the four kinds of delete. */
public final class DataChecks extends Checks {
  private Table table;

  @Override
  void run() throws Exception {
    table = create("t", "m");
    part("put", this::puts);
    part("get", this::gets);
    part("versions", this::versions);
    part("many", this::many);
    part("delete", this::deletes);
    part("delete order", this::deleteOrder);
    part("shapes", this::shapes);
    part("durability", this::durability);
    part("errors", this::errors);
  }

  private String get(String row) throws Exception {
    return Show.result(table.get(new Get(b(row))));
  }

  private String all(String row) throws Exception {
    return Show.result(table.get(new Get(b(row)).readAllVersions()));
  }

  private String raw(String row) throws Exception {
    return Show.scan(table, new Scan().withStartRow(b(row)).withStopRow(b(row), true).setRaw(true).readAllVersions());
  }

  private void puts() throws Exception {
    table.put(put("p1", "f:a=1"));
    check("put one cell", "p1[f:a=1]", get("p1"));
    long ts = table.get(new Get(b("p1"))).rawCells()[0].getTimestamp();
    check("put takes the server's clock", true, Math.abs(System.currentTimeMillis() - ts) < 60_000);
    table.put(put("p1", "f:a=2"));
    check("put replaces", "p1[f:a=2]", get("p1"));
    table.put(put("p2", "g:b@7=x", "f:c@8=y", "f:a@9=z"));
    check("put sorts its cells", "p2[f:a@9=z f:c@8=y g:b@7=x]", get("p2"));
    table.put(put("p2", "f:a@9=again"));
    check("put of the same timestamp replaces", "p2[f:a@9=again f:c@8=y g:b@7=x]", all("p2"));
    table.put(new Put(b("p3"), 50).addColumn(F, A, b("row")).addColumn(F, B, 60, b("own")));
    check("put with a timestamp for the row", "p3[f:a@50=row f:b@60=own]", get("p3"));
    table.put(new Put(b("p4")).addColumn(F, A, b("1")).addColumn(F, A, b("2")));
    check("put of one column twice keeps the last", "p4[f:a=2]", all("p4"));
    table.put(List.of(put("p5", "f:a=1"), put("z5", "f:a=2"), put("p6", "g:a=3")));
    check("put of a list over two regions", "p5[f:a=1] z5[f:a=2] p6[g:a=3]", get("p5") + " " + get("z5") + " " + get("p6"));
  }

  private void gets() throws Exception {
    table.put(put("g1", "f:a@1=1", "f:b@2=2", "f:c@3=3", "g:a@4=4", "g:b@5=5"));
    check("get whole row", "g1[f:a@1=1 f:b@2=2 f:c@3=3 g:a@4=4 g:b@5=5]", get("g1"));
    check("get a family", "g1[g:a@4=4 g:b@5=5]", Show.result(table.get(new Get(b("g1")).addFamily(G))));
    check("get columns", "g1[f:b@2=2 g:a@4=4]",
        Show.result(table.get(new Get(b("g1")).addColumn(F, B).addColumn(G, A))));
    check("get column and family", "g1[f:b@2=2 g:a@4=4 g:b@5=5]",
        Show.result(table.get(new Get(b("g1")).addColumn(F, B).addFamily(G))));
    check("get an absent column", "-", Show.result(table.get(new Get(b("g1")).addColumn(F, b("none")))));
    check("get an absent row", "-", get("g0"));
    check("get some absent columns", "g1[f:c@3=3]",
        Show.result(table.get(new Get(b("g1")).addColumn(F, b("none")).addColumn(F, C))));
    check("exists", "true false", table.exists(new Get(b("g1"))) + " " + table.exists(new Get(b("g0"))));
    check("exists of a column", "true false", table.exists(new Get(b("g1")).addColumn(G, B)) + " "
        + table.exists(new Get(b("g1")).addColumn(G, C)));
    check("exists of a list", "[true, false, true]", Arrays.toString(
        table.exists(List.of(new Get(b("g1")), new Get(b("g0")), new Get(b("z5"))))));
    check("get existence only", "exists=true", Show.result(table.get(new Get(b("g1")).setCheckExistenceOnly(true))));
    check("get limit per family", "g1[f:a@1=1 f:b@2=2 g:a@4=4 g:b@5=5]",
        Show.result(table.get(new Get(b("g1")).setMaxResultsPerColumnFamily(2))));
    check("get offset per family", "g1[f:b@2=2 g:b@5=5]",
        Show.result(table.get(new Get(b("g1")).setMaxResultsPerColumnFamily(1).setRowOffsetPerColumnFamily(1))));
    check("a filter that counts sees no more than the limit per family", "g1[f:a@1=1 g:a@4=4]",
        Show.result(table.get(new Get(b("g1")).setMaxResultsPerColumnFamily(1).setFilter(new ColumnPaginationFilter(2, 0)))));
    check("a limit of 0 per family", "g1[f:a@1=1 g:a@4=4]",
        Show.result(table.get(new Get(b("g1")).setMaxResultsPerColumnFamily(0))));
    check("get with filter", "g1[f:a@1=1 f:b@2=2]",
        Show.result(table.get(new Get(b("g1")).setFilter(new ColumnCountGetFilter(2)))));
    check("get with filter on the row", "-", Show.result(table.get(new Get(b("g1")).setFilter(new PrefixFilter(b("x"))))));
    check("get no cache", "g1[f:a@1=1]",
        Show.result(table.get(new Get(b("g1")).addColumn(F, A).setCacheBlocks(false))));
    check("get of a list", "g1[f:a@1=1] - z5[f:a=2]", Show.results(Arrays.asList(table.get(
        List.of(new Get(b("g1")).addColumn(F, A), new Get(b("g0")), new Get(b("z5")))))));
    Result result = table.get(new Get(b("g1")));
    check("result access", "3 true false", Show.value(result.getValue(F, C)) + " " + result.containsColumn(G, B) + " "
        + result.containsColumn(G, C));
  }

  private void versions() throws Exception {
    for (int ts = 1; ts <= 8; ts++) {
      table.put(put("v1", "f:a@" + (ts * 10) + "=v" + ts));
    }
    check("get newest", "v1[f:a@80=v8]", get("v1"));
    check("get 3 versions", "v1[f:a@80=v8 f:a@70=v7 f:a@60=v6]", Show.result(table.get(new Get(b("v1")).readVersions(3))));
    check("get all versions is bounded by the family", "v1[f:a@80=v8 f:a@70=v7 f:a@60=v6 f:a@50=v5 f:a@40=v4]", all("v1"));
    check("time range", "v1[f:a@70=v7]", Show.result(table.get(new Get(b("v1")).setTimeRange(60, 80))));
    check("time range, all versions", "v1[f:a@70=v7 f:a@60=v6]",
        Show.result(table.get(new Get(b("v1")).setTimeRange(60, 80).readAllVersions())));
    check("time range is half open", "-", Show.result(table.get(new Get(b("v1")).setTimeRange(81, 90))));
    check("timestamp", "v1[f:a@50=v5]", Show.result(table.get(new Get(b("v1")).setTimestamp(50))));
    table.put(put("v2", "f:a@10=x", "f:a@20=y", "g:a@10=x", "g:a@20=y"));
    check("time range of a family", "v2[f:a@10=x g:a@20=y]",
        Show.result(table.get(new Get(b("v2")).setColumnFamilyTimeRange(F, 0, 15))));
    check("time range of a family beside the general one", "v2[f:a@20=y g:a@10=x]",
        Show.result(table.get(new Get(b("v2")).setTimeRange(0, 15).setColumnFamilyTimeRange(F, 0, 25))));
    table.put(put("v3", "f:a@20=new"));
    table.put(put("v3", "f:a@10=late"));
    check("an older timestamp written later is older", "v3[f:a@20=new f:a@10=late]", all("v3"));
    table.put(put("v4", "f:a@0=zero"));
    check("timestamp zero", "v4[f:a@0=zero]", all("v4"));
  }

  private void many() throws Exception {
    Put wide = new Put(b("w1"));
    for (int i = 0; i < 3000; i++) {
      wide.addColumn(F, b(String.format("q%04d", i)), 5, b("v" + i));
    }
    table.put(wide);
    Result result = table.get(new Get(b("w1")));
    check("a row of 3000 columns", "3000 v0 v2999", result.size() + " " + Show.value(result.value()) + " "
        + Show.value(result.getValue(F, b("q2999"))));
    check("columns of a wide row", "w1[f:q0007@5=v7 f:q1500@5=v1500]", Show.result(table.get(
        new Get(b("w1")).addColumn(F, b("q1500")).addColumn(F, b("q0007")))));
    check("limit and offset in a wide row", "w1[f:q2000@5=v2000 f:q2001@5=v2001]", Show.result(table.get(
        new Get(b("w1")).setMaxResultsPerColumnFamily(2).setRowOffsetPerColumnFamily(2000))));
    table.delete(new Delete(b("w1")).addColumns(F, b("q0000")).addColumns(F, b("q1500")));
    check("delete in a wide row", "2998 false", table.get(new Get(b("w1"))).size() + " "
        + table.exists(new Get(b("w1")).addColumn(F, b("q1500"))));
    byte[] big = new byte[1_500_000];
    Arrays.fill(big, (byte) 7);
    table.put(new Put(b("w2")).addColumn(F, A, 9, big).addColumn(F, B, 9, b("small")));
    Result both = table.get(new Get(b("w2")));
    check("a big value", "true small", Arrays.equals(big, both.getValue(F, A)) + " " + Show.value(both.getValue(F, B)));
    table.put(put("w2", "f:a@9=now small"));
    check("a small value over a big one", "w2[f:a@9=now small f:b@9=small]", all("w2"));
    table.put(new Put(b("w2")).addColumn(F, A, 9, big));
    check("a big value over a small one", "1500000", table.get(new Get(b("w2")).addColumn(F, A)).value().length);
  }

  private void fill(String row) throws Exception {
    table.put(put(row, "f:a@1=1", "f:a@2=2", "f:a@3=3", "f:b@2=2", "f:b@3=3", "g:a@2=2"));
  }

  private void deletes() throws Exception {
    fill("d1");
    table.delete(new Delete(b("d1")));
    check("delete row", "-", all("d1"));
    fill("d2");
    table.delete(new Delete(b("d2"), 2));
    check("delete row up to a timestamp", "d2[f:a@3=3 f:b@3=3]", all("d2"));
    fill("d3");
    table.delete(new Delete(b("d3")).addFamily(F));
    check("delete family", "d3[g:a@2=2]", all("d3"));
    fill("d4");
    table.delete(new Delete(b("d4")).addFamily(F, 2));
    check("delete family up to a timestamp", "d4[f:a@3=3 f:b@3=3 g:a@2=2]", all("d4"));
    fill("d5");
    table.delete(new Delete(b("d5")).addFamilyVersion(F, 2));
    check("delete family version", "d5[f:a@3=3 f:a@1=1 f:b@3=3 g:a@2=2]", all("d5"));
    fill("d6");
    table.delete(new Delete(b("d6")).addColumns(F, A));
    check("delete columns", "d6[f:b@3=3 f:b@2=2 g:a@2=2]", all("d6"));
    fill("d7");
    table.delete(new Delete(b("d7")).addColumns(F, A, 2));
    check("delete columns up to a timestamp", "d7[f:a@3=3 f:b@3=3 f:b@2=2 g:a@2=2]", all("d7"));
    fill("d8");
    table.delete(new Delete(b("d8")).addColumn(F, A));
    check("delete newest version", "d8[f:a@2=2 f:a@1=1 f:b@3=3 f:b@2=2 g:a@2=2]", all("d8"));
    fill("d9");
    table.delete(new Delete(b("d9")).addColumn(F, A, 2));
    check("delete one version", "d9[f:a@3=3 f:a@1=1 f:b@3=3 f:b@2=2 g:a@2=2]", all("d9"));
    fill("d10");
    table.delete(new Delete(b("d10")).addColumn(F, A, 7));
    check("delete an absent version", "d10[f:a@3=3 f:a@2=2 f:a@1=1 f:b@3=3 f:b@2=2 g:a@2=2]", all("d10"));
    fill("d11");
    table.delete(new Delete(b("d11")).addColumns(F, A, 1).addColumn(F, B, 3).addFamily(G));
    check("delete of several kinds at once", "d11[f:a@3=3 f:a@2=2 f:b@2=2]", all("d11"));
    table.delete(new Delete(b("absent")));
    check("delete an absent row", "-", get("absent"));
    fill("d12");
    fill("z12");
    table.delete(new java.util.ArrayList<>(List.of(new Delete(b("d12")), new Delete(b("z12")).addFamily(F))));
    check("delete a list", "- z12[g:a@2=2]", all("d12") + " " + all("z12"));
    table.delete(new Delete(b("d9")).addColumn(F, A).addColumn(F, A));
    check("newest version twice in one delete", "d9[f:b@3=3 f:b@2=2 g:a@2=2]", all("d9"));
  }

  private void deleteOrder() throws Exception {
    table.delete(new Delete(b("o1")).addColumns(F, A, 10));
    table.put(put("o1", "f:a@5=hidden", "f:a@10=too", "f:a@11=seen"));
    check("a marker hides older puts that come later", "o1[f:a@11=seen]", all("o1"));
    check("raw shows markers and what they hide",
        "o1[f:a@11=seen f:a@10#DeleteColumn f:a@10=too f:a@5=hidden]", raw("o1"));
    table.put(put("o2", "f:a@1=x", "f:b@1=x"));
    table.delete(new Delete(b("o2")).addFamily(F, 3));
    check("raw family marker comes first", "o2[f:@3#DeleteFamily f:a@1=x f:b@1=x]", raw("o2"));
    table.put(put("o3", "f:a@4=x"));
    table.delete(new Delete(b("o3")).addFamilyVersion(F, 4).addColumn(F, A, 4));
    check("raw version markers", "o3[f:@4#DeleteFamilyVersion f:a@4#Delete f:a@4=x]", raw("o3"));
    check("a time range before the marker is masked all the same", "-",
        Show.result(table.get(new Get(b("o1")).setTimeRange(0, 8))));
    table.put(put("o4", "f:a@1=1", "f:a@2=2"));
    table.delete(new Delete(b("o4")).addColumn(F, A, 2));
    table.put(put("o4", "f:a@2=again"));
    check("a version marker hides a later put of that version", "o4[f:a@1=1]", all("o4"));
  }

  private void shapes() throws Exception {
    table.put(put("s1", "f:@3=empty name", "g:@3=empty name"));
    check("empty qualifier", "s1[f:@3=empty name g:@3=empty name]", get("s1"));
    check("get the empty qualifier", "s1[f:@3=empty name]",
        Show.result(table.get(new Get(b("s1")).addColumn(F, new byte[0]))));
    table.delete(new Delete(b("s1")).addColumns(F, new byte[0]));
    check("delete the empty qualifier", "s1[g:@3=empty name]", get("s1"));
    table.put(put("s2", "f:a@3="));
    check("empty value", "s2[f:a@3=]", get("s2"));
    table.put(put("s\\x00\\xFF\\x01", "f:\\x00\\xFF@3=\\x00\\x01\\xFE"));
    check("all bytes", "s\\x00\\xFF\\x01[f:\\x00\\xFF@3=\\x00\\x01\\xFE]", get("s\\x00\\xFF\\x01"));
    table.put(put("s", "f:a@3=short"));
    table.put(put("s\\x00", "f:a@3=longer"));
    check("a key and its extension by zero", "s[f:a@3=short] s\\x00[f:a@3=longer]", get("s") + " " + get("s\\x00"));
    byte[] longest = new byte[Short.MAX_VALUE];
    Arrays.fill(longest, (byte) 'a');
    table.get(new Get(b("aa"))); // old clients cannot look up the region of so long a row, but remember it
    table.put(new Put(longest).addColumn(F, A, b("1")));
    check("longest row key", "1", Show.value(table.get(new Get(longest)).value()));
    table.put(put("s3", "f:a@3=x"));
    table.put(put("s3", "f:a\\x00@3=y", "f:aa@3=z", "f:\\xFF@3=last", "f:B@3=first"));
    check("qualifiers sort as unsigned bytes", "s3[f:B@3=first f:a@3=x f:a\\x00@3=y f:aa@3=z f:\\xFF@3=last]", get("s3"));
  }

  private void durability() throws Exception {
    for (Durability durability : Durability.values()) {
      Put put = put("l1", "f:a=" + durability);
      put.setDurability(durability);
      table.put(put);
      check("durability " + durability, "l1[f:a=" + durability + "]", get("l1"));
    }
  }

  private void errors() throws Exception {
    fails("put to an unknown family", "NoSuchColumnFamilyException", "", () -> table.put(put("e1", "none:a=1")));
    fails("get of an unknown family", "NoSuchColumnFamilyException", "", () -> table.get(new Get(b("e1")).addFamily(b("none"))));
    fails("delete of an unknown family", "NoSuchColumnFamilyException", "",
        () -> table.delete(new Delete(b("e1")).addFamily(b("none"))));
    fails("scan of an unknown family", "NoSuchColumnFamilyException", "",
        () -> Show.scan(table, new Scan().addFamily(b("none"))));
    fails("table not there", "TableNotFoundException", "", () -> {
      try (Table none = connection.getTable(org.apache.hadoop.hbase.TableName.valueOf(prefix + "_none"))) {
        none.get(new Get(b("r")));
      }
    });
    check("the connection still works", "p1[f:a=2]", get("p1"));
  }
}
