import com.stumbleupon.async.Deferred;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hbase.async.AppendRequest;
import org.hbase.async.AtomicIncrementRequest;
import org.hbase.async.BinaryComparator;
import org.hbase.async.Bytes;
import org.hbase.async.ColumnPrefixFilter;
import org.hbase.async.CompareFilter.CompareOp;
import org.hbase.async.DeleteRequest;
import org.hbase.async.FilterList;
import org.hbase.async.FirstKeyOnlyFilter;
import org.hbase.async.GetRequest;
import org.hbase.async.GetResultOrException;
import org.hbase.async.HBaseClient;
import org.hbase.async.KeyRegexpFilter;
import org.hbase.async.KeyValue;
import org.hbase.async.NoSuchColumnFamilyException;
import org.hbase.async.PutRequest;
import org.hbase.async.RowFilter;
import org.hbase.async.ScanFilter;
import org.hbase.async.Scanner;

/**
 * Checks a server with asynchbase: {@code AsynchbaseChecks ZOOKEEPER TABLE}, where the table has the families f (5
 * versions) and g and is split at h and p. The client has no administration of tables.
 */
public final class AsynchbaseChecks {
  private static final long TIMEOUT_MILLIS = 30_000;
  private static final long FIRST_CLOCK_TIME = 1_000_000_000_000L;

  private final HBaseClient client;
  private final String table;
  private int passed;
  private int failed;

  private AsynchbaseChecks(HBaseClient client, String table) {
    this.client = client;
    this.table = table;
  }

  private interface Body {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    HBaseClient client = new HBaseClient(args[0]);
    client.setFlushInterval((short) 10);
    AsynchbaseChecks checks = new AsynchbaseChecks(client, args[1]);
    checks.part("tables", checks::tables);
    checks.part("put and get", checks::putAndGet);
    checks.part("delete", checks::deletes);
    checks.part("scan", checks::scans);
    checks.part("filters", checks::filters);
    checks.part("counters", checks::counters);
    checks.part("conditions", checks::conditions);
    checks.part("batch", checks::batch);
    checks.part("errors", checks::errors);
    System.out.println(checks.passed + " passed, " + checks.failed + " failed");
    System.out.flush();
    Runtime.getRuntime().halt(checks.failed == 0 ? 0 : 1);
  }

  private void part(String name, Body body) {
    try {
      body.run();
    } catch (Exception e) {
      check(name, "no exception", e.toString());
    }
  }

  private void check(String name, Object expected, Object got) {
    if (String.valueOf(expected).equals(String.valueOf(got))) {
      passed++;
      System.out.println("ok " + name);
    } else {
      failed++;
      System.out.println("FAIL " + name + ": expected " + expected + " got " + got);
    }
  }

  private static byte[] b(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  private static <T> T get(Deferred<T> deferred) throws Exception {
    return deferred.joinUninterruptibly(TIMEOUT_MILLIS);
  }

  private static String show(List<KeyValue> cells) {
    StringBuilder s = new StringBuilder();
    for (KeyValue cell : cells) {
      s.append(s.length() == 0 ? "" : " ").append(new String(cell.family(), StandardCharsets.UTF_8)).append(':')
          .append(new String(cell.qualifier(), StandardCharsets.UTF_8));
      if (cell.timestamp() < FIRST_CLOCK_TIME) {
        s.append('@').append(cell.timestamp());
      }
      byte[] value = cell.value();
      s.append('=').append(value.length == 8 && value[0] == 0 ? String.valueOf(Bytes.getLong(value)) : new String(value, StandardCharsets.UTF_8));
    }
    return s.toString();
  }

  private String row(String row) throws Exception {
    return show(get(client.get(new GetRequest(table, row))));
  }

  private void put(String row, String family, String qualifier, String value, long timestamp) throws Exception {
    get(client.put(new PutRequest(b(table), b(row), b(family), b(qualifier), b(value), timestamp)));
  }

  /** That a table is not there the client finds out from no HBase 2: it goes on asking until it has asked too often. */
  private void tables() throws Exception {
    get(client.ensureTableExists(table));
    check("table exists", true, true);
    get(client.ensureTableFamilyExists(table, "g"));
    check("family exists", true, true);
    check("regions", 3, get(client.locateRegions(table)).size());
  }

  private void putAndGet() throws Exception {
    get(client.put(new PutRequest(table, "a1", "f", "a", "1")));
    put("a1", "g", "a", "3", 7);
    check("put and get", "f:a=1 g:a@7=3", row("a1"));
    get(client.put(new PutRequest(b(table), b("a2"), b("f"), new byte[][] {b("x"), b("y")}, new byte[][] {b("1"), b("2")}, 5)));
    check("put two columns", "f:x@5=1 f:y@5=2", row("a2"));
    check("get a family", "g:a@7=3", show(get(client.get(new GetRequest(table, "a1", "g")))));
    check("get a column", "f:y@5=2", show(get(client.get(new GetRequest(table, "a2", "f", "y")))));
    check("get an absent row", "", row("a0"));
    for (int ts = 1; ts <= 7; ts++) {
      put("a3", "f", "a", "v" + ts, ts);
    }
    check("versions", "f:a@7=v7 f:a@6=v6", show(get(client.get(new GetRequest(table, "a3").maxVersions(2)))));
    check("time range", "f:a@4=v4 f:a@3=v3", show(get(client.get(new GetRequest(table, "a3").maxVersions(9).setTimeRange(3, 5)))));
    check("get with filter", "f:x@5=1", show(get(client.get(new GetRequest(table, "a2").setFilter(new FirstKeyOnlyFilter())))));
    String big = "x".repeat(3 << 20);
    put("a4", "f", "a", big, 5);
    check("a value of 3 MiB", ("f:a@5=" + big).length(), row("a4").length());
  }

  private void deletes() throws Exception {
    for (String row : new String[] {"d1", "d2", "d3", "d4"}) {
      for (int ts = 1; ts <= 3; ts++) {
        put(row, "f", "a", "1", ts);
        put(row, "f", "b", "2", ts);
      }
      put(row, "g", "a", "3", 1);
    }
    get(client.delete(new DeleteRequest(table, "d1")));
    check("delete a row", "", row("d1"));
    get(client.delete(new DeleteRequest(table, "d2", "f")));
    check("delete a family", "g:a@1=3", row("d2"));
    get(client.delete(new DeleteRequest(table, "d3", "f", "a")));
    check("delete a column", "f:b@3=2 g:a@1=3", row("d3"));
    DeleteRequest one = new DeleteRequest(b(table), b("d4"), b("f"), b("a"), 3);
    one.setDeleteAtTimestampOnly(true);
    get(client.delete(one));
    check("delete a version", "f:a@2=1 f:b@3=2 g:a@1=3", row("d4"));
  }

  private String scan(Scanner scanner) throws Exception {
    List<String> rows = new ArrayList<>();
    for (ArrayList<ArrayList<KeyValue>> batch; (batch = get(scanner.nextRows())) != null;) {
      for (ArrayList<KeyValue> row : batch) {
        rows.add(new String(row.get(0).key(), StandardCharsets.UTF_8) + "*" + row.size());
      }
    }
    return String.join(" ", rows);
  }

  private Scanner scanner(String start, String stop) {
    Scanner scanner = client.newScanner(table);
    scanner.setStartKey(start);
    scanner.setStopKey(stop);
    return scanner;
  }

  private void scans() throws Exception {
    for (char letter = 'f'; letter <= 's'; letter++) {
      put(letter + "s", "g", "a", "1", 1);
      put("s" + letter, "f", "a", "1", 1);
      put("s" + letter, "f", "b", "2", 1);
    }
    check("scan a range", "sf*2 sg*2 sh*2", scan(scanner("sf", "si")));
    check("scan over regions", "fs*1 gs*1 hs*1 is*1", scan(scanner("fs", "js")));
    Scanner small = scanner("fs", "ss");
    small.setMaxNumRows(2);
    check("scan by twos", "fs*1 gs*1 hs*1 is*1 js*1 ks*1 ls*1 ms*1 ns*1 os*1 ps*1 qs*1 rs*1 sf*2 sg*2 sh*2 si*2 sj*2 sk*2 sl*2 sm*2 sn*2 so*2 sp*2 sq*2 sr*2",
        scan(small));
    Scanner family = scanner("f", "t");
    family.setFamily("g");
    check("scan a family", "fs*1 gs*1 hs*1 is*1 js*1 ks*1 ls*1 ms*1 ns*1 os*1 ps*1 qs*1 rs*1 ss*1", scan(family));
    Scanner column = scanner("sf", "sh");
    column.setFamily("f");
    column.setQualifier("b");
    check("scan a column", "sf*1 sg*1", scan(column));
    Scanner pieces = scanner("sf", "sh");
    pieces.setMaxNumKeyValues(1);
    check("scan in pieces of rows", "sf*1 sf*1 sg*1 sg*1", scan(pieces));
    Scanner reversed = scanner("js", "fs");
    reversed.setReversed(true);
    check("scan backwards over regions", "js*1 is*1 hs*1 gs*1", scan(reversed));
    check("scan nothing", "", scan(scanner("x", "y")));
    Scanner early = scanner("f", "t");
    get(early.nextRows(1));
    get(early.close());
    check("close a scanner early", true, true);
  }

  private void filters() throws Exception {
    check("key regexp", "sg*2 sh*2", filtered(new KeyRegexpFilter("^s[gh]$")));
    check("column prefix", "sf*1 sg*1 sh*1 si*1", filtered(new ColumnPrefixFilter("b")));
    check("row filter", "sh*2 si*2", filtered(new RowFilter(CompareOp.GREATER, new BinaryComparator(b("sg")))));
    check("list of filters", "sg*1", filtered(new FilterList(Arrays.asList(new KeyRegexpFilter("^sg"), new FirstKeyOnlyFilter()),
        FilterList.Operator.MUST_PASS_ALL)));
  }

  private String filtered(ScanFilter filter) throws Exception {
    Scanner scanner = scanner("sf", "sj");
    scanner.setFilter(filter);
    return scan(scanner);
  }

  private void counters() throws Exception {
    check("increment", 5L, get(client.atomicIncrement(new AtomicIncrementRequest(table, "i1", "f", "n", 5))));
    check("increment again", 3L, get(client.atomicIncrement(new AtomicIncrementRequest(table, "i1", "f", "n", -2))));
    List<Deferred<Long>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(client.atomicIncrement(new AtomicIncrementRequest(table, "i2", "f", "n", 1)));
    }
    for (Deferred<Long> one : all) {
      get(one);
    }
    check("200 increments at once", "f:n=200", row("i2"));
    get(client.append(new AppendRequest(table, "i3", "f", "s", "ab")));
    AppendRequest append = new AppendRequest(table, "i3", "f", "s", "cd");
    append.returnResult(true);
    get(client.append(append));
    check("append", "f:s=abcd", row("i3"));
  }

  private void conditions() throws Exception {
    check("create", true, get(client.atomicCreate(new PutRequest(table, "c1", "f", "a", "1"))));
    check("create again", false, get(client.atomicCreate(new PutRequest(table, "c1", "f", "a", "2"))));
    check("compare and set", true, get(client.compareAndSet(new PutRequest(table, "c1", "f", "a", "2"), "1")));
    check("compare and set, not", false, get(client.compareAndSet(new PutRequest(table, "c1", "f", "a", "3"), "1")));
    check("after them", "f:a=2", row("c1"));
  }

  /** The client sends edits of a region together in a Multi. */
  private void batch() throws Exception {
    List<Deferred<Object>> puts = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      puts.add(client.put(new PutRequest(table, "ckt".charAt(i % 3) + "b" + i, "f", "a", "v" + i)));
    }
    for (Deferred<Object> put : puts) {
      get(put);
    }
    List<GetRequest> gets = new ArrayList<>();
    for (int i = 0; i < 900; i++) {
      gets.add(new GetRequest(table, "ckt".charAt(i % 3) + "b" + i));
    }
    int wrong = 0;
    List<GetResultOrException> results = get(client.get(gets));
    for (int i = 0; i < 900; i++) {
      wrong += show(results.get(i).getCells()).equals("f:a=v" + i) ? 0 : 1;
    }
    check("900 puts and gets", 0, wrong);
    List<Deferred<Object>> mixed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      mixed.add(client.put(new PutRequest(table, "e" + i, i == 7 ? "none" : "f", "a", "1")));
    }
    int failures = 0;
    for (Deferred<Object> one : mixed) {
      try {
        get(one);
      } catch (NoSuchColumnFamilyException e) {
        failures++;
      }
    }
    check("a failing put fails alone", "1 f:a=1 f:a=1", failures + " " + row("e6") + " " + row("e8"));
  }

  private void errors() throws Exception {
    try {
      get(client.get(new GetRequest(table, "a1", "none")));
      check("unknown family", "NoSuchColumnFamilyException", "none");
    } catch (NoSuchColumnFamilyException e) {
      check("unknown family", true, true);
    }
  }
}
