package basalt.conformance;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncBufferedMutator;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** The asynchronous client: data, scans of all three kinds, administration. */
public final class AsyncChecks extends Checks {
  private AsyncConnection async;
  private AsyncTable<AdvancedScanResultConsumer> table;
  private TableName name;

  @Override
  void run() throws Exception {
    name = name("t");
    async = ConnectionFactory.createAsyncConnection(connection.getConfiguration()).get(30, TimeUnit.SECONDS);
    try {
      part("admin", this::admin);
      table = async.getTable(name);
      part("data", this::data);
      part("conditions", this::conditions);
      part("batch", this::batch);
      part("scan", this::scans);
      part("consumers", this::consumers);
      part("many at once", this::many);
      part("buffered", this::buffered);
      part("locator", this::locator);
    } finally {
      async.close();
    }
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  private String row(String row) throws Exception {
    return Show.result(get(table.get(new Get(b(row)).readAllVersions())));
  }

  private void admin() throws Exception {
    AsyncAdmin admin = async.getAdmin();
    check("not there", false, get(admin.tableExists(name)));
    get(admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(family("f", 3).build())
        .setColumnFamily(family("g", 3).build()).build(), new byte[][] {b("h"), b("p")}));
    check("create", "true 3", get(admin.tableExists(name)) + " " + get(admin.getRegions(name)).size());
    get(admin.disableTable(name));
    check("disable", true, get(admin.isTableDisabled(name)));
    get(admin.enableTable(name));
    check("enable", true, get(admin.isTableEnabled(name)));
    get(admin.addColumnFamily(name, family("x", 1).build()));
    check("add family", 3, get(admin.getDescriptor(name)).getColumnFamilyCount());
    get(admin.deleteColumnFamily(name, b("x")));
    check("delete family", 2, get(admin.getDescriptor(name)).getColumnFamilyCount());
    check("list", true, get(admin.listTableNames()).contains(name));
    get(admin.flush(name));
    get(admin.majorCompact(name));
    fails("create again", "TableExistsException", "", () -> get(admin.createTable(get(admin.getDescriptor(name)))));
    fails("no such table", "TableNotFoundException", "", () -> get(admin.getDescriptor(TableName.valueOf(prefix + "_none"))));
    check("cluster", 1, get(admin.getClusterMetrics()).getLiveServerMetrics().size());
    check("namespaces", true, get(admin.listNamespaceDescriptors()).size() >= 2);
  }

  private void data() throws Exception {
    get(table.put(put("d1", "f:a@1=1", "g:b@2=2")));
    check("put and get", "d1[f:a@1=1 g:b@2=2]", row("d1"));
    check("get a column", "d1[g:b@2=2]", Show.result(get(table.get(new Get(b("d1")).addColumn(G, B)))));
    check("exists", "true false", get(table.exists(new Get(b("d1")))) + " " + get(table.exists(new Get(b("d0")))));
    check("increment", "d2[f:a=7]", Show.result(get(table.increment(new Increment(b("d2")).addColumn(F, A, 7)))));
    check("increment a column", 9L, get(table.incrementColumnValue(b("d2"), F, A, 2)));
    check("append", "d2[f:b=xy]", Show.result(get(table.append(new Append(b("d2")).addColumn(F, B, b("xy"))))));
    get(table.delete(new Delete(b("d1")).addColumns(F, A)));
    check("delete", "d1[g:b@2=2]", row("d1"));
    RowMutations mutations = new RowMutations(b("d3"));
    mutations.add(put("d3", "f:a@1=1"));
    mutations.add(new Delete(b("d3")).addFamily(G));
    get(table.mutateRow(mutations));
    check("mutate row", "d3[f:a@1=1]", row("d3"));
    fails("unknown family", "NoSuchColumnFamilyException", "", () -> get(table.put(put("d4", "none:a@1=1"))));
  }

  private void conditions() throws Exception {
    check("put if absent", "true false",
        get(table.checkAndMutate(b("c1"), F).qualifier(A).ifNotExists().thenPut(put("c1", "f:a@1=1"))) + " "
            + get(table.checkAndMutate(b("c1"), F).qualifier(A).ifNotExists().thenPut(put("c1", "f:a@2=2"))));
    RowMutations mutations = new RowMutations(b("c1"));
    mutations.add(put("c1", "g:a@1=1"));
    check("mutate if equal", true, get(table.checkAndMutate(b("c1"), F).qualifier(A).ifEquals(b("1")).thenMutate(mutations)));
    check("written", "c1[f:a@1=1 g:a@1=1]", row("c1"));
    check("delete if equal", true, get(table.checkAndMutate(b("c1"), F).qualifier(A).ifEquals(b("1")).thenDelete(new Delete(b("c1")))));
    check("deleted", "-", row("c1"));
  }

  private void batch() throws Exception {
    get(table.putAll(List.of(put("b1", "f:a@1=1"), put("k1", "f:a@1=2"), put("z1", "f:a@1=3"))));
    check("put all, get all", "b1[f:a@1=1] - z1[f:a@1=3]", Show.results(get(table.getAll(
        List.of(new Get(b("b1")), new Get(b("b0")), new Get(b("z1")))))));
    List<Object> mixed = get(table.batchAll(List.of(new Get(b("b1")), put("b2", "f:a@1=1"),
        new Increment(b("k2")).addColumn(F, A, 3), new Delete(b("z1")))));
    check("batch all", "b1[f:a@1=1] k2[f:a=3]", Show.result((Result) mixed.get(0)) + " " + Show.result((Result) mixed.get(2)));
    check("exists all", "[true, false]", get(table.existsAll(List.of(new Get(b("b2")), new Get(b("z1"))))).toString());
    List<CompletableFuture<Object>> futures = table.batch(List.of(put("b3", "f:a@1=1"), put("b4", "none:a@1=1"), put("b5", "f:a@1=1")));
    List<String> outcome = new ArrayList<>();
    for (CompletableFuture<Object> future : futures) {
      try {
        get(future);
        outcome.add("ok");
      } catch (Exception e) {
        outcome.add(causes(e).stream().anyMatch(t -> t.getClass().getSimpleName().equals("NoSuchColumnFamilyException"))
            ? "NoSuchColumnFamilyException" : describe(e));
      }
    }
    check("a failure in the middle", "ok NoSuchColumnFamilyException ok", String.join(" ", outcome));
    check("its neighbours are written", "b3[f:a@1=1] - b5[f:a@1=1]", row("b3") + " " + row("b4") + " " + row("b5"));
    get(table.deleteAll(List.of(new Delete(b("b3")), new Delete(b("b5")))));
    check("delete all", "- -", row("b3") + " " + row("b5"));
  }

  private void scans() throws Exception {
    List<Put> puts = new ArrayList<>();
    for (char row = 'a'; row <= 'z'; row++) {
      puts.add(put("s" + row, "f:a@1=" + row, "f:b@1=2"));
      puts.add(put(row + "s", "g:a@1=" + row));
    }
    get(table.putAll(puts));
    List<Result> all = get(table.scanAll(new Scan().addColumn(G, A).withStartRow(b("as")).withStopRow(b("zt")).setCaching(4)));
    check("scan all", "26 as zs", all.size() + " " + Bytes.toString(all.get(0).getRow()) + " " + Bytes.toString(all.get(25).getRow()));
    all = get(table.scanAll(new Scan().addColumn(G, A).setReversed(true).setLimit(5)));
    check("scan all, reversed with limit", "zs ys xs ws vs", names(all));
    all = get(table.scanAll(new Scan().withStartRow(b("sa")).withStopRow(b("sc"), true).setBatch(1)));
    check("scan all with batch", "sa[f:a@1=a] sa[f:b@1=2] sb[f:a@1=b] sb[f:b@1=2] sc[f:a@1=c] sc[f:b@1=2]", Show.results(all));
    all = get(table.scanAll(new Scan().withStartRow(b("sa")).withStopRow(b("sc"), true).setMaxResultSize(1)));
    check("scan all with a small result size", "sa[f:a@1=a f:b@1=2] sb[f:a@1=b f:b@1=2] sc[f:a@1=c f:b@1=2]", Show.results(all));
    List<Result> read = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(new Scan().withStartRow(b("sa")).withStopRow(b("sz")).setCaching(3))) {
      for (Result result; (result = scanner.next()) != null;) {
        read.add(result);
      }
    }
    check("scanner", "25 sa sy", read.size() + " " + Bytes.toString(read.get(0).getRow()) + " " + Bytes.toString(read.get(24).getRow()));
  }

  private static String names(List<Result> results) {
    List<String> names = new ArrayList<>();
    for (Result result : results) {
      names.add(Bytes.toString(result.getRow()));
    }
    return String.join(" ", names);
  }

  /** Collects what a scan pushes. */
  private static final class Collector implements AdvancedScanResultConsumer, ScanResultConsumer {
    private final List<Result> results = Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<List<Result>> done = new CompletableFuture<>();
    private final int stopAfter;

    Collector(int stopAfter) {
      this.stopAfter = stopAfter;
    }

    @Override
    public boolean onNext(Result result) {
      results.add(result);
      return results.size() < stopAfter;
    }

    @Override
    public void onNext(Result[] batch, ScanController controller) {
      Collections.addAll(results, batch);
      if (results.size() >= stopAfter) {
        controller.terminate();
      }
    }

    @Override
    public void onScanMetricsCreated(org.apache.hadoop.hbase.client.metrics.ScanMetrics metrics) {
      // Both interfaces have it; the results are what is checked.
    }

    @Override
    public void onError(Throwable error) {
      done.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
      done.complete(results);
    }
  }

  private void consumers() throws Exception {
    Scan scan = new Scan().withStartRow(b("sa")).withStopRow(b("sk")).setCaching(3);
    Collector raw = new Collector(Integer.MAX_VALUE);
    table.scan(scan, raw);
    check("advanced consumer", "sa sb sc sd se sf sg sh si sj", names(get(raw.done)));
    Collector stops = new Collector(3);
    table.scan(scan, stops);
    check("advanced consumer that stops", "sa sb sc", names(get(stops.done)));
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      AsyncTable<ScanResultConsumer> simple = async.getTable(name, pool);
      Collector all = new Collector(Integer.MAX_VALUE);
      simple.scan(scan, (ScanResultConsumer) all);
      check("consumer", "sa sb sc sd se sf sg sh si sj", names(get(all.done)));
      Collector some = new Collector(4);
      simple.scan(scan, (ScanResultConsumer) some);
      check("consumer that stops", "sa sb sc sd", names(get(some.done)));
    } finally {
      pool.shutdown();
    }
  }

  private void many() throws Exception {
    List<CompletableFuture<Void>> puts = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      puts.add(table.put(put("y" + i, "f:a@1=" + i)));
    }
    get(CompletableFuture.allOf(puts.toArray(new CompletableFuture<?>[0])));
    List<CompletableFuture<Result>> gets = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      gets.add(table.get(new Get(b("y" + i))));
    }
    int wrong = 0;
    for (int i = 0; i < 2000; i++) {
      wrong += Integer.toString(i).equals(Show.value(get(gets.get(i)).value())) ? 0 : 1;
    }
    check("2000 calls in flight", 0, wrong);
  }

  private void buffered() throws Exception {
    try (AsyncBufferedMutator mutator = async.getBufferedMutator(name)) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        all.add(mutator.mutate(put("m" + i, "f:a@1=" + i)));
      }
      mutator.flush();
      get(CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])));
    }
    check("buffered mutator", "m299[f:a@1=299]", row("m299"));
  }

  private void locator() throws Exception {
    check("locator", "h p", Bytes.toString(get(async.getRegionLocator(name).getRegionLocation(b("k"))).getRegion().getStartKey()) + " "
        + Bytes.toString(get(async.getRegionLocator(name).getRegionLocation(b("p"))).getRegion().getStartKey()));
    check("all regions", 3, get(async.getRegionLocator(name).getAllRegionLocations()).size());
  }
}
