package basalt.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Cursor;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Scan.ReadType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Scans over three regions: every bound, limit and option, in both directions. */
public final class ScanChecks extends Checks {
  private static final String ROWS = "a b c d e f g h i j k l m n o p q r s t";

  private Table table;

  @Override
  void run() throws Exception {
    table = create("t", "g", "n");
    List<Put> puts = new ArrayList<>();
    for (String row : ROWS.split(" ")) {
      puts.add(put(row, "f:a@1=" + row, "f:b@2=2", "f:c@3=3", "g:a@1=1", "g:b@2=2"));
    }
    table.put(puts);
    part("bounds", this::bounds);
    part("reversed", this::reversed);
    part("sizes", this::sizes);
    part("pieces", this::pieces);
    part("columns", this::columns);
    part("versions", this::versions);
    part("raw", this::raw);
    part("cursor", this::cursor);
    part("metrics", this::metrics);
    part("every combination", this::combinations);
    part("writes meanwhile", this::meanwhile);
    part("big rows", this::bigRows);
  }

  private static Scan range(String start, String stop) {
    return new Scan().withStartRow(b(start)).withStopRow(b(stop));
  }

  private String keys(Scan scan) throws IOException {
    return Show.keys(connection, table, scan);
  }

  private static Scan narrow(Scan scan) {
    return scan.addColumn(F, A);
  }

  private static String backwards(String rows) {
    return new StringBuilder(rows).reverse().toString();
  }

  private void bounds() throws Exception {
    check("whole table", ROWS, keys(new Scan()));
    check("start and stop", "e f g h", keys(range("e", "i")));
    check("start only", "q r s t", keys(new Scan().withStartRow(b("q"))));
    check("stop only", "a b c", keys(new Scan().withStopRow(b("d"))));
    check("start exclusive", "f g h", keys(new Scan().withStartRow(b("e"), false).withStopRow(b("i"))));
    check("stop inclusive", "e f g h i", keys(new Scan().withStartRow(b("e")).withStopRow(b("i"), true)));
    check("both the other way", "f g h i", keys(new Scan().withStartRow(b("e"), false).withStopRow(b("i"), true)));
    check("one row", "e", keys(new Scan().withStartRow(b("e")).withStopRow(b("e"), true)));
    check("start equals stop, exclusive", "", keys(range("e", "e")));
    check("between rows", "f g", keys(range("e5", "g5")));
    check("inclusive bounds that are not there", "f g",
        keys(new Scan().withStartRow(b("e5"), true).withStopRow(b("g5"), true)));
    check("at a region's border", "g", keys(range("g", "h")));
    check("stop at a region's border", "e f", keys(range("e", "g")));
    check("stop inclusive at a region's border", "e f g", keys(new Scan().withStartRow(b("e")).withStopRow(b("g"), true)));
    check("start exclusive at a region's border", "h i", keys(new Scan().withStartRow(b("g"), false).withStopRow(b("j"))));
    check("beyond the end", "", keys(new Scan().withStartRow(b("u"))));
    check("before the begin", "", keys(new Scan().withStopRow(b("a"))));
    check("zero byte after a row", "f g", keys(range("e\\x00", "g\\x00")));
    check("prefix", "k", keys(new Scan().setRowPrefixFilter(b("k"))));
    check("a row with all its cells", "d[f:a@1=d f:b@2=2 f:c@3=3 g:a@1=1 g:b@2=2]", Show.scan(table, range("d", "d\\x00")));
  }

  private void reversed() throws Exception {
    check("reversed whole table", backwards(ROWS), keys(new Scan().setReversed(true)));
    check("reversed start and stop", "i h g f", keys(range("i", "e").setReversed(true)));
    check("reversed start only", "d c b a", keys(new Scan().withStartRow(b("d")).setReversed(true)));
    check("reversed stop only", "t s r", keys(new Scan().withStopRow(b("q")).setReversed(true)));
    check("reversed start exclusive", "h g f", keys(new Scan().withStartRow(b("i"), false).withStopRow(b("e")).setReversed(true)));
    check("reversed stop inclusive", "i h g f e", keys(new Scan().withStartRow(b("i")).withStopRow(b("e"), true).setReversed(true)));
    check("reversed bounds that are not there", "g f", keys(range("g5", "e5").setReversed(true)));
    check("reversed from a region's border", "g f", keys(range("g", "e").setReversed(true)));
    check("reversed from a region's border, exclusive", "f e", keys(
        new Scan().withStartRow(b("g"), false).withStopRow(b("d")).setReversed(true)));
    check("reversed to a region's border", "i h", keys(range("i", "g").setReversed(true)));
    check("reversed start beyond the end", "t s", keys(range("zzz", "r").setReversed(true)));
    check("reversed limit", "t s r", keys(new Scan().setReversed(true).setLimit(3)));
    check("reversed limit over regions", "h g f e", keys(new Scan().withStartRow(b("h")).setReversed(true).setLimit(4)));
    check("reversed rows read forward", "d[f:a@1=d f:b@2=2 f:c@3=3 g:a@1=1 g:b@2=2]",
        Show.scan(table, new Scan().withStartRow(b("d")).withStopRow(b("d"), true).setReversed(true)));
    check("reversed one row", "d", keys(new Scan().withStartRow(b("d")).withStopRow(b("d"), true).setReversed(true)));
  }

  private void sizes() throws Exception {
    for (int caching : new int[] {1, 2, 3, 7, 100}) {
      check("caching " + caching, ROWS, keys(new Scan().setCaching(caching)));
      check("reversed caching " + caching, backwards(ROWS), keys(new Scan().setCaching(caching).setReversed(true)));
    }
    for (int limit : new int[] {1, 2, 6, 7, 20, 50}) {
      String expected = ROWS.substring(0, Math.min(ROWS.length(), 2 * limit - 1));
      check("limit " + limit, expected, keys(new Scan().setLimit(limit)));
      check("limit " + limit + " by threes", expected, keys(new Scan().setLimit(limit).setCaching(3)));
    }
    check("one row limit", "a", keys(new Scan().setOneRowLimit()));
    check("max result size of one cell", ROWS, keys(new Scan().setMaxResultSize(1)));
    check("max result size of some rows", ROWS, keys(new Scan().setMaxResultSize(700)));
    check("max result size, reversed", backwards(ROWS), keys(new Scan().setMaxResultSize(100).setReversed(true)));
    check("no block cache", ROWS, keys(new Scan().setCacheBlocks(false)));
    check("pread", ROWS, keys(new Scan().setReadType(ReadType.PREAD)));
    check("stream", ROWS, keys(new Scan().setReadType(ReadType.STREAM)));
    check("pread limit", "a b c", keys(new Scan().setReadType(ReadType.PREAD).setLimit(3)));
    check("read uncommitted", ROWS, keys(new Scan().setIsolationLevel(IsolationLevel.READ_UNCOMMITTED)));
    check("families on demand", ROWS, keys(new Scan().setLoadColumnFamiliesOnDemand(true)));
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(2))) {
      List<String> sizes = new ArrayList<>();
      for (int n : new int[] {1, 5, 0, 30}) {
        sizes.add(Integer.toString(scanner.next(n).length));
      }
      check("next of several", "1 5 0 14", String.join(" ", sizes));
      check("next after the end", "null", Show.result(scanner.next()));
    }
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(2))) {
      scanner.next();
      scanner.next();
      scanner.next();
    }
    check("closing in the middle leaves the table alone", ROWS, keys(new Scan()));
  }

  private void pieces() throws Exception {
    check("batch 2", "a*2+ a*2+ a*1", Show.pieces(connection, table, range("a", "b").setBatch(2)));
    check("batch of a row's size", "a*5 b*5", Show.pieces(connection, table, range("a", "c").setBatch(5)).replace("+", ""));
    check("batch beyond a row", "a*5 b*5", Show.pieces(connection, table, range("a", "c").setBatch(10)));
    check("batch 3 never mixes rows", "f*3+ f*2 g*3+ g*2 h*3+ h*2", Show.pieces(connection, table, range("f", "i").setBatch(3)));
    check("batch 3 reversed", "h*3+ h*2 g*3+ g*2 f*3+ f*2", Show.pieces(connection, table, range("h", "e5").setBatch(3).setReversed(true)));
    check("batch with small caching", "f*2+ f*2+ f*1 g*2+ g*2+ g*1", Show.pieces(connection, table, range("f", "h").setBatch(2).setCaching(1)));
    check("batch with limit", "a*2+ a*2+ a*1 b*2+ b*2+ b*1", Show.pieces(connection, table, new Scan().setBatch(2).setLimit(2)));
    check("partial results of one cell", "a*1+ a*1+ a*1+ a*1+ a*1", Show.pieces(connection, table,
        range("a", "b").setAllowPartialResults(true).setMaxResultSize(1)).replaceAll("a\\*1\\+?$", "a*1"));
    check("limit 10 per row as partials adds up", 25, cells(range("a", "f").setAllowPartialResults(true).setMaxResultSize(150)));
    check("batch and max result size", 25, cells(range("a", "f").setBatch(2).setMaxResultSize(1)));
  }

  private int cells(Scan scan) throws IOException {
    return count(table, scan);
  }

  private void columns() throws Exception {
    check("a family", "e[g:a@1=1 g:b@2=2]", Show.scan(table, range("e", "f").addFamily(G)));
    check("columns", "e[f:b@2=2 g:b@2=2]", Show.scan(table, range("e", "f").addColumn(F, B).addColumn(G, B)));
    check("no such column", "", Show.scan(table, range("e", "f").addColumn(F, b("none"))));
    check("limit per family", "e[f:a@1=e g:a@1=1]", Show.scan(table, range("e", "f").setMaxResultsPerColumnFamily(1)));
    check("offset per family", "e[f:c@3=3]", Show.scan(table,
        range("e", "f").setMaxResultsPerColumnFamily(5).setRowOffsetPerColumnFamily(2)));
    check("time range", "e[f:b@2=2 g:b@2=2]", Show.scan(table, range("e", "f").setTimeRange(2, 3)));
    check("timestamp", "e[f:c@3=3]", Show.scan(table, range("e", "f").setTimestamp(3)));
    check("time range of a family", "e[f:a@1=e g:a@1=1 g:b@2=2]", Show.scan(table,
        range("e", "f").setColumnFamilyTimeRange(F, 0, 2)));
    check("time range that skips rows", "", Show.scan(table, new Scan().setTimeRange(4, 9)));
  }

  private void versions() throws Exception {
    try (Table versions = create("v")) {
      versions.put(put("r1", "f:a@1=1", "f:a@2=2", "f:a@3=3", "f:b@1=1"));
      versions.put(put("r2", "f:a@5=5", "f:a@6=6"));
      check("newest version", "r1[f:a@3=3 f:b@1=1] r2[f:a@6=6]", Show.scan(versions, new Scan()));
      check("2 versions", "r1[f:a@3=3 f:a@2=2 f:b@1=1] r2[f:a@6=6 f:a@5=5]", Show.scan(versions, new Scan().readVersions(2)));
      check("all versions, batch 2", "r1[f:a@3=3 f:a@2=2] r1[f:a@1=1 f:b@1=1] r2[f:a@6=6 f:a@5=5]",
          Show.scan(versions, new Scan().readAllVersions().setBatch(2)));
      check("versions in a time range", "r1[f:a@2=2 f:a@1=1 f:b@1=1]",
          Show.scan(versions, new Scan().readAllVersions().setTimeRange(0, 3)));
      check("versions, reversed", "r2[f:a@6=6 f:a@5=5] r1[f:a@3=3 f:a@2=2 f:b@1=1]",
          Show.scan(versions, new Scan().readVersions(2).setReversed(true)));
    }
  }

  private void raw() throws Exception {
    try (Table raw = create("raw")) {
      raw.put(put("r1", "f:a@1=1", "f:a@2=2", "f:b@1=1", "g:a@4=4"));
      raw.delete(new Delete(b("r1")).addColumns(F, A, 1));
      raw.delete(new Delete(b("r1")).addFamily(G, 4));
      raw.put(put("r2", "f:a@1=1"));
      raw.delete(new Delete(b("r2"), 9));
      check("without raw", "r1[f:a@2=2 f:b@1=1]", Show.scan(raw, new Scan().readAllVersions()));
      check("raw, all versions",
          "r1[f:a@2=2 f:a@1#DeleteColumn f:a@1=1 f:b@1=1 g:@4#DeleteFamily g:a@4=4]"
              + " r2[f:@9#DeleteFamily f:a@1=1 g:@9#DeleteFamily]",
          Show.scan(raw, new Scan().setRaw(true).readAllVersions()));
      check("raw, a time range", "r1[f:a@1#DeleteColumn f:a@1=1 f:b@1=1] r2[f:a@1=1]",
          Show.scan(raw, new Scan().setRaw(true).readAllVersions().setTimeRange(0, 2)));
      check("raw, reversed", "r2[f:@9#DeleteFamily f:a@1=1 g:@9#DeleteFamily]",
          Show.scan(raw, new Scan().setRaw(true).readAllVersions().setReversed(true).setLimit(1)));
    }
  }

  private void cursor() throws Exception {
    List<String> seen = new ArrayList<>();
    Scan scan = range("a", "c").setMaxResultSize(1).setNeedCursorResult(true).setReadType(ReadType.STREAM);
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result; (result = scanner.next()) != null;) {
        if (result.isCursor()) {
          Cursor cursor = result.getCursor();
          seen.add("(" + Bytes.toStringBinary(cursor.getRow()) + ")");
        } else {
          seen.add(Bytes.toStringBinary(result.getRow()) + "*" + result.size());
        }
      }
    }
    String text = String.join(" ", seen);
    check("cursor tells the row under way", "(a) a*5 (b) b*5", text.replaceAll("(\\(.\\) )+", "$1"));
  }

  private void metrics() throws Exception {
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(4).setScanMetricsEnabled(true))) {
      int rows = 0;
      for (Result result : scanner) {
        rows += result.isEmpty() ? 0 : 1;
      }
      ScanMetrics metrics = scanner.getScanMetrics();
      check("metrics", "20 rows, 20 scanned, 0 filtered, 3 regions", rows + " rows, "
          + metrics.countOfRowsScanned.get() + " scanned, " + metrics.countOfRowsFiltered.get() + " filtered, "
          + metrics.countOfRegions.get() + " regions");
    }
    Scan filtered = new Scan().setScanMetricsEnabled(true).setFilter(
        new RowFilter(CompareOperator.EQUAL, new BinaryComparator(b("c"))));
    try (ResultScanner scanner = table.getScanner(filtered.withStopRow(b("g")))) {
      while (scanner.next() != null) {
        continue;
      }
      check("metrics of a filter", "6 scanned, 5 filtered", scanner.getScanMetrics().countOfRowsScanned.get() + " scanned, "
          + scanner.getScanMetrics().countOfRowsFiltered.get() + " filtered");
    }
  }

  /** The same rows must come back whatever the sizes are. */
  private void combinations() throws Exception {
    int wrong = 0;
    String first = "";
    for (boolean reversed : new boolean[] {false, true}) {
      for (int caching : new int[] {1, 3, 1000}) {
        for (int batch : new int[] {0, 2, 7}) {
          for (long size : new long[] {1, 250, 1 << 20}) {
            for (boolean partial : new boolean[] {false, true}) {
              if (batch > 0 && partial) {
                continue;
              }
              Scan scan = reversed ? range("r", "c").setReversed(true) : range("c", "r");
              scan.setCaching(caching).setMaxResultSize(size).setAllowPartialResults(partial);
              if (batch > 0) {
                scan.setBatch(batch);
              }
              String got = flat(scan);
              String want = expectedCells(reversed);
              if (!want.equals(got)) {
                wrong++;
                first = first.isEmpty() ? scan + " -> " + got : first;
              }
            }
          }
        }
      }
    }
    check("54 combinations of caching, batch, size, partial and direction", "0 wrong ", wrong + " wrong " + first);
  }

  private String flat(Scan scan) throws IOException {
    StringBuilder s = new StringBuilder();
    for (Result result : Show.read(connection, table, scan)) {
      for (Cell cell : result.rawCells()) {
        s.append(Bytes.toString(result.getRow())).append('/').append(Show.cell(cell)).append(' ');
      }
    }
    return s.toString();
  }

  private static String expectedCells(boolean reversed) {
    StringBuilder s = new StringBuilder();
    String rows = reversed ? "rqponmlkjihgfed" : "cdefghijklmnopq";
    for (char row : rows.toCharArray()) {
      for (String cell : new String[] {"f:a@1=" + row, "f:b@2=2", "f:c@3=3", "g:a@1=1", "g:b@2=2"}) {
        s.append(row).append('/').append(cell).append(' ');
      }
    }
    return s.toString();
  }

  private void meanwhile() throws Exception {
    try (Table moving = create("moving")) {
      for (int i = 0; i < 10; i++) {
        moving.put(put("r" + i, "f:a@1=old"));
      }
      List<String> seen = new ArrayList<>();
      try (ResultScanner scanner = moving.getScanner(new Scan().setCaching(2))) {
        for (int i = 0; i < 3; i++) {
          seen.add(Bytes.toString(scanner.next().getRow()));
        }
        moving.delete(new Delete(b("r9")));
        moving.put(put("r99", "f:a@1=new"));
        for (Result result; (result = scanner.next()) != null;) {
          seen.add(Bytes.toString(result.getRow()));
        }
      }
      check("a scanner of one region sees one moment", "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9", String.join(" ", seen));
      check("the next scanner sees the next", "r0 r1 r2 r3 r4 r5 r6 r7 r8 r99", Show.keys(connection, moving, new Scan()));
    }
  }

  private void bigRows() throws Exception {
    try (Table big = create("big")) {
      byte[] value = new byte[300_000];
      for (int row = 0; row < 4; row++) {
        Put put = new Put(b("r" + row));
        for (int i = 0; i < 8; i++) {
          put.addColumn(F, b("q" + i), 1, value);
        }
        big.put(put);
      }
      check("rows beyond the default result size", "r0*8 r1*8 r2*8 r3*8", Show.pieces(connection, big, new Scan()));
      check("the same reversed", "r3*8 r2*8 r1*8 r0*8", Show.pieces(connection, big, new Scan().setReversed(true)));
      check("rows of 2.4 MB as partial results", 32, count(big, new Scan().setAllowPartialResults(true)));
      check("one column of them", "r0*1 r1*1 r2*1 r3*1", Show.pieces(connection, big, narrow(new Scan()).addColumn(F, b("q3"))));
    }
  }

  private int count(Table table, Scan scan) throws IOException {
    return Show.read(connection, table, scan).stream().mapToInt(Result::size).sum();
  }
}
