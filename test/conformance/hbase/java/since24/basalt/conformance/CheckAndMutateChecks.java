package basalt.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;

/** CheckAndMutate as a value, alone, in lists and in batches; filters as conditions; results of row mutations. */
public final class CheckAndMutateChecks extends Checks {
  private Table table;

  @Override
  void run() throws Exception {
    table = create("t", "m");
    part("single", this::single);
    part("filters", this::filters);
    part("counters", this::counters);
    part("row mutations", this::rowMutations);
    part("lists", this::lists);
    part("batches", this::batches);
    part("async", this::async);
  }

  private String all(String row) throws Exception {
    return Show.result(table.get(new Get(b(row)).readAllVersions()));
  }

  private static String show(CheckAndMutateResult result) {
    return result.isSuccess() + (result.getResult() == null || result.getResult().isEmpty() ? "" : " " + Show.result(result.getResult()));
  }

  private String run(CheckAndMutate check) throws Exception {
    return show(table.checkAndMutate(check));
  }

  private static CheckAndMutate.Builder when(String row) {
    return CheckAndMutate.newBuilder(b(row));
  }

  private static RowMutations mutations(String row, Object... parts) throws Exception {
    RowMutations mutations = new RowMutations(b(row));
    for (Object part : parts) {
      mutations.add(List.of((org.apache.hadoop.hbase.client.Mutation) part));
    }
    return mutations;
  }

  private void single() throws Exception {
    check("put if absent", "true", run(when("s1").ifNotExists(F, A).build(put("s1", "f:a@1=1"))));
    check("put if absent, but present", "false", run(when("s1").ifNotExists(F, A).build(put("s1", "f:a@2=2"))));
    check("put if equal", "true", run(when("s1").ifEquals(F, A, b("1")).build(put("s1", "f:b@1=2"))));
    check("put if greater", "true", run(when("s1").ifMatches(F, A, CompareOperator.GREATER, b("2")).build(put("s1", "f:c@1=3"))));
    check("delete if equal", "true", run(when("s1").ifEquals(F, A, b("1")).build(new Delete(b("s1")).addColumns(F, B))));
    check("after these", "s1[f:a@1=1 f:c@1=3]", all("s1"));
    check("in a time range", "false true",
        run(when("s1").ifEquals(F, A, b("1")).timeRange(TimeRange.between(5, 9)).build(put("s1", "f:d@1=4"))) + " "
            + run(when("s1").ifNotExists(F, A).timeRange(TimeRange.between(5, 9)).build(put("s1", "f:d@1=4"))));
    fails("unknown family", "NoSuchColumnFamilyException", "", () -> run(when("s1").ifNotExists(b("none"), A).build(put("s1", "f:d@1=4"))));
    check("row mutations", "true", run(when("s1").ifEquals(F, A, b("1"))
        .build(mutations("s1", put("s1", "g:a@1=1"), new Delete(b("s1")).addColumns(F, C)))));
    check("after row mutations", "s1[f:a@1=1 f:d@1=4 g:a@1=1]", all("s1"));
  }

  private void filters() throws Exception {
    table.put(put("f1", "f:a@1=1", "f:b@2=2", "f:c@3=3"));
    FilterList both = new FilterList(new SingleColumnValueFilter(F, A, CompareOperator.EQUAL, b("1")),
        new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, b("2")));
    check("two columns", "true", run(when("f1").ifMatches(both).build(put("f1", "f:d@1=4"))));
    FilterList wrong = new FilterList(new SingleColumnValueFilter(F, A, CompareOperator.EQUAL, b("1")),
        new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, b("3")));
    check("two columns, one differs", "false", run(when("f1").ifMatches(wrong).build(put("f1", "f:e@1=5"))));
    check("a qualifier", "true", run(when("f1").ifMatches(new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(b("d"))))
        .build(put("f1", "f:e@1=5"))));
    check("no such family", "false", run(when("f1").ifMatches(new FamilyFilter(CompareOperator.EQUAL, new BinaryComparator(b("g"))))
        .build(put("f1", "f:f@1=6"))));
    check("timestamps", "true", run(when("f1").ifMatches(new TimestampsFilter(List.of(3L))).build(new Delete(b("f1")).addColumns(F, C))));
    check("a filter and a time range", "false", run(when("f1").ifMatches(new SingleColumnValueFilter(F, A, CompareOperator.EQUAL, b("1")))
        .timeRange(TimeRange.between(50, 60)).build(put("f1", "f:g@1=7"))));
    check("an absent row", "false", run(when("f0").ifMatches(both).build(put("f0", "f:a@1=1"))));
    check("after these", "f1[f:a@1=1 f:b@2=2 f:d@1=4 f:e@1=5]", all("f1"));
    check("builder with filter", "true false",
        table.checkAndMutate(b("f1"), both).thenPut(put("f1", "f:x@1=8")) + " " + table.checkAndMutate(b("f1"), wrong).thenDelete(new Delete(b("f1"))));
  }

  private void counters() throws Exception {
    check("increment", "true c1[f:a=5]", run(when("c1").ifNotExists(F, B).build(new Increment(b("c1")).addColumn(F, A, 5))));
    check("increment, but not", "false", run(when("c1").ifNotExists(F, A).build(new Increment(b("c1")).addColumn(F, A, 5))));
    check("append", "true c1[f:b=x]", run(when("c1").ifEquals(F, A, Bytes.toBytes(5L)).build(new Append(b("c1")).addColumn(F, B, b("x")))));
    check("append by filter", "true c1[f:b=xy]", run(when("c1").ifMatches(
        new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, b("x"))).build(new Append(b("c1")).addColumn(F, B, b("y")))));
    check("no results wanted", "true", run(when("c1").ifEquals(F, B, b("xy")).build(
        new Increment(b("c1")).addColumn(F, A, 1).setReturnResults(false))));
    check("mutations with increment and append", "true c1[f:a=8 f:b=xyz]", run(when("c1").ifEquals(F, B, b("xy")).build(mutations("c1",
        new Increment(b("c1")).addColumn(F, A, 2), put("c1", "f:c@1=1"), new Append(b("c1")).addColumn(F, B, b("z"))))));
    check("after these", "c1[f:a=8 f:b=xyz f:c@1=1]", Show.result(table.get(new Get(b("c1")))));
  }

  private void rowMutations() throws Exception {
    Result result = table.mutateRow(mutations("r1", new Increment(b("r1")).addColumn(F, A, 4), put("r1", "f:b@1=2"),
        new Append(b("r1")).addColumn(F, C, b("app"))));
    check("results of a row's mutations", "r1[f:a=4 f:c=app]", Show.result(result));
    check("stored", "r1[f:a=4 f:b@1=2 f:c=app]", all("r1"));
    Result none = table.mutateRow(mutations("r2", put("r2", "f:a@1=1")));
    check("puts have none", "true", String.valueOf(none == null || none.isEmpty()));
    fails("an increment of no number fails them all", "DoNotRetryIOException", "",
        () -> table.mutateRow(mutations("r2", put("r2", "f:z@1=1"), new Increment(b("r2")).addColumn(F, A, 1))));
    check("nothing of it is written", "r2[f:a@1=1]", all("r2"));
  }

  private void lists() throws Exception {
    table.put(List.of(put("l1", "f:a@1=1"), put("l2", "f:a@1=2"), put("x1", "f:a@1=3")));
    List<CheckAndMutateResult> results = table.checkAndMutate(List.of(
        when("l1").ifEquals(F, A, b("1")).build(put("l1", "f:b@1=1")), when("l2").ifEquals(F, A, b("9")).build(put("l2", "f:b@1=1")),
        when("x1").ifEquals(F, A, b("3")).build(new Increment(b("x1")).addColumn(F, B, 6)),
        when("x2").ifNotExists(F, A).build(mutations("x2", put("x2", "f:a@1=4"), put("x2", "g:a@1=4")))));
    List<String> shown = new ArrayList<>();
    for (CheckAndMutateResult result : results) {
      shown.add(show(result));
    }
    check("a list", "true, false, true x1[f:b=6], true", String.join(", ", shown));
    check("applied", "l1[f:a@1=1 f:b@1=1] l2[f:a@1=2] x2[f:a@1=4 g:a@1=4]", all("l1") + " " + all("l2") + " " + all("x2"));
  }

  private void batches() throws Exception {
    table.put(List.of(put("b1", "f:a@1=1"), put("b2", "f:a@1=2")));
    List<Row> actions = List.of(new Get(b("b2")), when("b1").ifEquals(F, A, b("1")).build(put("b1", "f:b@1=new")),
        put("b3", "f:a@1=3"), when("b2").ifEquals(F, A, b("7")).build(new Delete(b("b2"))),
        mutations("b4", put("b4", "f:a@1=4"), new Increment(b("b4")).addColumn(F, B, 2)), new Get(b("b1")).addColumn(F, A),
        when("b1").ifNotExists(b("none"), A).build(put("b1", "f:c@1=1")));
    Object[] results = new Object[actions.size()];
    try {
      table.batch(actions, results);
      check("a condition on an unknown family fails", "an exception", "none");
    } catch (Exception e) {
      check("a condition on an unknown family fails", "NoSuchColumnFamilyException",
          results[6] instanceof Throwable ? cause((Throwable) results[6]) : results[6]);
    }
    check("conditions among other actions", "b2[f:a@1=2] true - false b4[f:b=2] b1[f:a@1=1]",
        Show.result((Result) results[0]) + " " + show((CheckAndMutateResult) results[1]) + " " + Show.result((Result) results[2]) + " "
            + show((CheckAndMutateResult) results[3]) + " " + Show.result((Result) results[4]) + " " + Show.result((Result) results[5]));
    check("applied", "b1[f:a@1=1 f:b@1=new] b2[f:a@1=2] b3[f:a@1=3] b4[f:a@1=4 f:b=2]",
        all("b1") + " " + all("b2") + " " + all("b3") + " " + all("b4"));
  }

  private void async() throws Exception {
    try (AsyncConnection async = ConnectionFactory.createAsyncConnection(connection.getConfiguration()).get(30, TimeUnit.SECONDS)) {
      AsyncTable<AdvancedScanResultConsumer> t = async.getTable(table.getName());
      check("async", "true", show(t.checkAndMutate(when("a1").ifNotExists(F, A).build(put("a1", "f:a@1=1"))).get(30, TimeUnit.SECONDS)));
      List<CheckAndMutateResult> results = t.checkAndMutateAll(List.of(
          when("a1").ifEquals(F, A, b("1")).build(new Append(b("a1")).addColumn(F, B, b("z"))),
          when("z1").ifEquals(F, A, b("1")).build(put("z1", "f:a@1=1")))).get(30, TimeUnit.SECONDS);
      check("async list", "true a1[f:b=z], false", show(results.get(0)) + ", " + show(results.get(1)));
      Put put = put("a2", "f:a@1=1");
      check("async row mutations", "a2[f:b=3]", Show.result(t.mutateRow(
          mutations("a2", put, new Increment(b("a2")).addColumn(F, B, 3))).get(30, TimeUnit.SECONDS)));
    }
  }
}
