package basalt.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.util.Bytes;

/** What users of HBase and of servers like it reported as bugs, each with the right answer. */
public final class CaseChecks extends Checks {
  @Override
  void run() throws Exception {
    part("hidden puts", this::hiddenPuts);
    part("one millisecond", this::oneMillisecond);
    part("prefixes", this::prefixes);
    part("pages of a range", this::pagesOfRange);
    part("cell limit", this::cellLimit);
    part("first bytes", this::firstBytes);
    part("each row once", this::eachRowOnce);
    part("failures in a batch", this::failuresInBatch);
    part("names of tables", this::namesOfTables);
    part("hints and markers", this::hintsAndMarkers);
  }

  /** The marker of a family is behind a newer cell of the column without a name, from which a filter jumps ahead. */
  private void hintsAndMarkers() throws Exception {
    Table table = create("hints");
    table.put(put("r", "f:a@3=old", "f:a@5=new", "f:b@2=old"));
    table.delete(new Delete(b("r")).addFamily(F, 4));
    table.put(put("r", "f:@6=first", "f:@1=last"));
    admin.flush(table.getName()); // before that HBase jumps over it
    check("a filter jumps over no marker", "r[f:a@5=new]",
        Show.result(table.get(new Get(b("r")).readVersions(5).setFilter(new ColumnPrefixFilter(A)))));
  }

  /** A put that is older than a delete stays hidden until the marker is compacted away. */
  private void hiddenPuts() throws Exception {
    Table table = create("hidden");
    Get get = new Get(b("r"));
    table.put(put("r", "f:q@1=a"));
    table.delete(new Delete(b("r")).addColumns(F, b("q"), 2));
    table.put(put("r", "f:q@1=b"));
    check("an older put stays hidden", "-", Show.result(table.get(get)));
    admin.flush(table.getName());
    admin.majorCompact(table.getName());
    String seen = "-";
    for (int i = 0; i < 100 && seen.equals("-"); i++) { // the compaction runs behind our back
      Thread.sleep(100);
      table.put(put("r", "f:q@1=c"));
      seen = Show.result(table.get(get));
    }
    check("not once the marker is gone", "r[f:q@1=c]", seen);
  }

  private void oneMillisecond() throws Exception {
    Table table = create("millisecond");
    int lost = 0;
    for (int i = 0; i < 100; i++) {
      table.put(put("r", "f:q=" + i));
      lost += Bytes.toString(table.get(new Get(b("r"))).getValue(F, b("q"))).equals("" + i) ? 0 : 1;
    }
    check("the last put is what a get returns", 0, lost);
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      puts.add(put("s", "f:q@7=" + i));
    }
    table.put(puts);
    check("writes of one timestamp are one version, the last", "s[f:q@7=99]",
        Show.result(table.get(new Get(b("s")).readVersions(5))));
  }

  private void prefixes() throws Exception {
    Table table = create("prefixes");
    String[] keys = {"\\x00\\x00\\x00\\xFE", "\\x00\\x00\\x00\\xFF", "\\x00\\x00\\x00\\xFF\\x00", "\\x00\\x00\\x00\\xFF\\xFF",
      "\\x00\\x00\\x01", "\\x00\\x00\\x01\\x00", "\\xFF", "\\xFF\\xFE\\xFF", "\\xFF\\xFF", "\\xFF\\xFF\\x00", "\\xFF\\xFF\\xFF", "k", "k1"};
    List<Put> puts = new ArrayList<>();
    for (String key : keys) {
      puts.add(put(key, "f:q@1=v"));
    }
    table.put(puts);
    for (String prefix : new String[] {"\\x00\\x00\\x00\\xFF", "\\xFF\\xFF", "k1", "k", "\\x00"}) {
      String expected = Arrays.stream(keys).filter(k -> k.startsWith(prefix)).sorted((x, y) -> Bytes.compareTo(b(x), b(y)))
          .map(k -> Bytes.toStringBinary(b(k))).collect(Collectors.joining(" "));
      check("rows of the prefix " + prefix, expected, Show.keys(connection, table, new Scan().setRowPrefixFilter(b(prefix))));
    }
  }

  private void pagesOfRange() throws Exception {
    Table table = create("pages");
    table.put(put("r", "f:a@1=1", "f:b@1=2", "f:c@1=3", "f:d@1=4", "f:e@1=5"));
    for (int offset = 0; offset < 2; offset++) {
      Filter both = new FilterList(FilterList.Operator.MUST_PASS_ALL, new ColumnRangeFilter(B, true, b("d"), true),
          new ColumnPaginationFilter(2, offset));
      check("two of the columns b to d, from " + offset, offset == 0 ? "r[f:b@1=2 f:c@1=3]" : "r[f:c@1=3 f:d@1=4]",
          Show.result(table.get(new Get(b("r")).setFilter(both))));
    }
  }

  /** The limit is one cell's, with its key and all lengths. */
  private void cellLimit() throws Exception {
    TableName name = name("limit");
    int limit = 1 << 20;
    admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(family("f", 1).build())
        .setValue("hbase.server.keyvalue.maxsize", "" + limit).build());
    Table table = connection.getTable(name);
    int overhead = new Put(b("r")).addColumn(F, A, new byte[1]).get(F, A).get(0).getSerializedSize() + Integer.BYTES - 1;
    table.put(new Put(b("r")).addColumn(F, A, new byte[limit - overhead]));
    fails("a cell over the limit", "DoNotRetryIOException", "", () -> table.put(new Put(b("r")).addColumn(F, B, new byte[limit - overhead + 1])));
    Result row = table.get(new Get(b("r")));
    check("the one at the limit is there, the other is not", "1 " + (limit - overhead), row.size() + " " + row.getValue(F, A).length);
    Put many = new Put(b("s"));
    for (int i = 0; i < 30; i++) {
      many.addColumn(F, b("q" + i), new byte[limit / 10]);
    }
    table.put(many);
    check("a row over the limit is none", 30, table.get(new Get(b("s"))).size());
  }

  private void firstBytes() throws Exception {
    Table table = create("bytes", "\\x40", "\\x80", "\\xC0");
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      puts.add(new Put(new byte[] {(byte) i}).addColumn(F, A, 1, A));
      puts.add(new Put(new byte[] {(byte) i, (byte) (255 - i)}).addColumn(F, A, 1, A));
    }
    table.put(puts);
    StringBuilder whole = new StringBuilder();
    StringBuilder parts = new StringBuilder();
    for (Result row : Show.read(connection, table, new Scan())) {
      whole.append(Bytes.toHex(row.getRow())).append(' ');
    }
    for (int i = 0; i < 256; i++) {
      Scan part = new Scan().withStartRow(new byte[] {(byte) i});
      if (i < 255) {
        part.withStopRow(new byte[] {(byte) (i + 1)});
      }
      for (Result row : Show.read(connection, table, part)) {
        parts.append(Bytes.toHex(row.getRow())).append(' ');
      }
    }
    check("all of them", 512, whole.toString().split(" ").length);
    check("the parts are the whole", whole, parts);
  }

  private void eachRowOnce() throws Exception {
    Table table = create("once", "r0200", "r0400", "r0600", "r0800");
    List<String> keys = new ArrayList<>();
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      keys.add(String.format("r%04d", i));
      puts.add(put(keys.get(i), "f:a@1=v"));
    }
    table.put(puts);
    check("forward", String.join(" ", keys), Show.keys(connection, table, new Scan().setCaching(7)));
    List<String> seen = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(7))) {
      for (Result row : scanner) {
        seen.add(Bytes.toString(row.getRow()));
        if (seen.size() == 500) {
          admin.split(table.getName(), b("r0700"));
        }
      }
    }
    check("with a split meanwhile", keys, seen);
    Collections.reverse(keys);
    check("reversed", String.join(" ", keys), Show.keys(connection, table, new Scan().setCaching(7).setReversed(true)));
  }

  /** Answers of a batch are matched by index, also when only failures have an entry. */
  private void failuresInBatch() throws Exception {
    Table table = create("failures");
    List<Row> appends = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Append append = new Append(b("r" + i)).addColumn(i < 2 ? F : b("missing"), A, b("x"));
      append.setReturnResults(false);
      appends.add(append);
    }
    Object[] results = new Object[4];
    fails("two of four appends", "NoSuchColumnFamilyException", "missing", () -> table.batch(appends, results));
    check("which of them", "true true false false",
        Arrays.stream(results).map(r -> "" + !(r instanceof Throwable)).collect(Collectors.joining(" ")));
    check("the others are done", "r0[f:a=x] r1[f:a=x]", Show.scan(table, new Scan()));
  }

  /** Names that share a beginning sort into each other in hbase:meta, and so do regions that start with its delimiters. */
  private void namesOfTables() throws Exception {
    String[] starts = {"\\x00", ",", "\\xFF"};
    for (String suffix : new String[] {"t", "t1", "t-1", "t.1"}) {
      Table table = create(suffix, starts);
      try (RegionLocator locator = connection.getRegionLocator(table.getName())) {
        List<HRegionLocation> all = locator.getAllRegionLocations();
        check("regions of " + suffix, "[, \\x00, ,, \\xFF] [" + table.getName() + "]",
            all.stream().map(l -> Bytes.toStringBinary(l.getRegion().getStartKey())).collect(Collectors.toList()) + " "
                + all.stream().map(l -> l.getRegion().getTable()).distinct().collect(Collectors.toList()));
        for (String[] pair : new String[][] {{"\\x00", "\\x00"}, {"\\x00\\x00", "\\x00"}, {"+\\xFF", "\\x00"}, {",", ","}, {",,", ","},
          {"\\xFE\\xFF", ","}, {"\\xFF", "\\xFF"}, {"\\xFF\\xFF", "\\xFF"}}) {
          check("region of " + pair[0] + " in " + suffix, Bytes.toStringBinary(b(pair[1])),
              Bytes.toStringBinary(locator.getRegionLocation(b(pair[0]), true).getRegion().getStartKey()));
        }
      }
      table.put(put(",", "f:a@1=" + suffix));
      check("a row of " + suffix, ",[f:a@1=" + suffix + "]", Show.result(table.get(new Get(b(",")))));
    }
  }
}
