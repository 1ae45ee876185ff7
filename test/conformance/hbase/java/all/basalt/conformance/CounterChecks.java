package basalt.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Increment and append. */
public final class CounterChecks extends Checks {
  private Table table;

  @Override
  void run() throws Exception {
    table = create("t");
    part("increment", this::increments);
    part("append", this::appends);
    part("wrong width", this::wrongWidth);
    part("timestamps", this::timestamps);
    part("threads", this::threads);
  }

  private String get(String row) throws Exception {
    return Show.result(table.get(new Get(b(row))));
  }

  private static Increment by(String row, byte[] qualifier, long amount) {
    return new Increment(b(row)).addColumn(F, qualifier, amount);
  }

  private void increments() throws Exception {
    check("from nothing", "i1[f:a=5]", Show.result(table.increment(by("i1", A, 5))));
    check("again", "i1[f:a=8]", Show.result(table.increment(by("i1", A, 3))));
    check("down", "i1[f:a=-2]", Show.result(table.increment(by("i1", A, -10))));
    check("stored", "i1[f:a=-2]", get("i1"));
    check("by zero", "i1[f:a=-2]", Show.result(table.increment(by("i1", A, 0))));
    check("by zero from nothing", "i2[f:a=0] i2[f:a=0]", Show.result(table.increment(by("i2", A, 0))) + " " + get("i2"));
    check("several columns", "i3[f:a=1 f:b=2 g:a=3]", Show.result(table.increment(
        new Increment(b("i3")).addColumn(G, A, 3).addColumn(F, B, 2).addColumn(F, A, 1))));
    check("one amount for a column", 11L, table.incrementColumnValue(b("i4"), F, A, 11));
    check("and with a durability", 12L, table.incrementColumnValue(b("i4"), F, A, 1, Durability.SKIP_WAL));
    check("no results wanted", "-", Show.result(table.increment(by("i4", A, 1).setReturnResults(false))));
    check("and yet counted", "i4[f:a=13]", get("i4"));
    table.put(new Put(b("i5")).addColumn(F, A, Bytes.toBytes(Long.MAX_VALUE)));
    table.increment(by("i5", A, 1));
    check("wraps", Long.MIN_VALUE, Bytes.toLong(table.get(new Get(b("i5"))).value()));
    fails("unknown family", "NoSuchColumnFamilyException", "", () -> table.increment(new Increment(b("i6")).addColumn(b("none"), A, 1)));
    table.put(put("i7", "f:a@5=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x09"));
    check("of a put", "i7[f:a=10]", Show.result(table.increment(by("i7", A, 1))));
    check("in a time range that has no value", "i8[f:a=2]", timeRanged());
  }

  private String timeRanged() throws Exception {
    table.put(new Put(b("i8")).addColumn(F, A, 100, Bytes.toBytes(40L)));
    return Show.result(table.increment(by("i8", A, 2).setTimeRange(0, 50)));
  }

  private void appends() throws Exception {
    check("to nothing", "a1[f:a=x]", Show.result(table.append(new Append(b("a1")).addColumn(F, A, b("x")))));
    check("more", "a1[f:a=xyz]", Show.result(table.append(new Append(b("a1")).addColumn(F, A, b("yz")))));
    check("stored", "a1[f:a=xyz]", get("a1"));
    check("several columns", "a2[f:a=1 f:b=2 g:a=3]", Show.result(table.append(
        new Append(b("a2")).addColumn(G, A, b("3")).addColumn(F, A, b("1")).addColumn(F, B, b("2")))));
    check("nothing", "a1[f:a=xyz]", Show.result(table.append(new Append(b("a1")).addColumn(F, A, new byte[0]))));
    Result none = table.append(new Append(b("a1")).addColumn(F, A, b("!")).setReturnResults(false));
    check("no results wanted", "true", String.valueOf(none == null || none.isEmpty()));
    check("and yet appended", "a1[f:a=xyz!]", get("a1"));
    fails("unknown family", "NoSuchColumnFamilyException", "",
        () -> table.append(new Append(b("a3")).addColumn(b("none"), A, b("x"))));
  }

  private void wrongWidth() throws Exception {
    for (String value : new String[] {"1", "123456789", ""}) {
      table.put(put("w1", "f:a=" + value));
      fails("increment of " + value.length() + " bytes", "DoNotRetryIOException", "Field is not a long, it's " + value.length() + " bytes wide",
          () -> table.increment(by("w1", A, 1)));
      check("leaves " + value.length() + " bytes", "w1[f:a=" + value + "]", get("w1"));
    }
  }

  private void timestamps() throws Exception {
    long future = System.currentTimeMillis() + 1_000_000;
    table.put(new Put(b("t1")).addColumn(F, A, future, Bytes.toBytes(1L)));
    Result result = table.increment(by("t1", A, 1));
    check("a value from the future moves on by one", future + 1, result.rawCells()[0].getTimestamp());
    check("and is the newest", "t1[f:a=2]", get("t1"));
    table.put(new Put(b("t2")).addColumn(F, A, future, b("x")));
    check("append too", future + 1, table.append(new Append(b("t2")).addColumn(F, A, b("y"))).rawCells()[0].getTimestamp());
  }

  private void threads() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        all.add(pool.submit(() -> {
          for (int n = 0; n < 50; n++) {
            table.increment(by("c1", A, 1));
            table.append(new Append(b("c1")).addColumn(F, B, b("z")));
          }
          return null;
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      pool.shutdown();
    }
    Result result = table.get(new Get(b("c1")));
    check("8 threads lose nothing", "400 400", Show.value(result.getValue(F, A)) + " " + result.getValue(F, B).length);
  }
}
