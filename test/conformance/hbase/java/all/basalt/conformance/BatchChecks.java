package basalt.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.BufferedMutatorParams;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Batches of mixed operations over regions, failures among them, atomic row mutations and the buffered mutator. */
public final class BatchChecks extends Checks {
  private Table table;

  @Override
  void run() throws Exception {
    table = create("t", "m");
    part("batch", this::mixed);
    part("failures", this::failures);
    part("cells after a failure", this::cellsAfterFailure);
    part("large", this::large);
    part("mutate row", this::mutateRow);
    part("buffered mutator", this::buffered);
  }

  private String all(String row) throws Exception {
    return Show.result(table.get(new Get(b(row)).readAllVersions()));
  }

  private String batch(List<? extends Row> actions) throws Exception {
    Object[] results = new Object[actions.size()];
    try {
      table.batch(actions, results);
    } catch (IOException e) {
      // What failed is in the results; how it is wrapped up differs between 2.x and 3.0.
      return outcome(results) + " !";
    }
    return outcome(results);
  }

  private static String outcome(Object[] results) {
    List<String> shown = new ArrayList<>();
    for (Object result : results) {
      shown.add(result instanceof Throwable ? cause((Throwable) result) : result instanceof Result
          ? Show.result((Result) result) : String.valueOf(result));
    }
    return String.join(" ", shown);
  }

  private void mixed() throws Exception {
    table.put(List.of(put("b1", "f:a@1=1"), put("b2", "f:a@1=2", "f:b@1=3"), put("x1", "f:a@1=4")));
    check("gets", "b1[f:a@1=1] x1[f:a@1=4] - b2[f:b@1=3]", batch(List.of(new Get(b("b1")), new Get(b("x1")),
        new Get(b("b0")), new Get(b("b2")).addColumn(F, B))));
    check("puts and deletes", "- - - -", batch(List.of(put("b3", "f:a@1=1"), new Delete(b("b2")).addColumns(F, A), put("x2", "g:a@1=1"),
        new Delete(b("x1")))));
    check("puts and deletes applied", "b3[f:a@1=1] b2[f:b@1=3] x2[g:a@1=1] -",
        all("b3") + " " + all("b2") + " " + all("x2") + " " + all("x1"));
    check("increments and appends", "b4[f:a=5] b4[f:b=xy] x4[f:a=-1]", batch(List.of(new Increment(b("b4")).addColumn(F, A, 5),
        new Append(b("b4")).addColumn(F, B, b("xy")), new Increment(b("x4")).addColumn(F, A, -1))));
    check("increments of one row in a batch", "b5[f:a=1] b5[f:a=3] b5[f:a=6]", batch(List.of(
        new Increment(b("b5")).addColumn(F, A, 1), new Increment(b("b5")).addColumn(F, A, 2),
        new Increment(b("b5")).addColumn(F, A, 3))));
    check("all kinds", "- b3[f:a@1=1] b6[f:n=7] b6[f:s=s] -", batch(List.of(put("b6", "f:a@1=1"), new Get(b("b3")),
        new Increment(b("b6")).addColumn(F, b("n"), 7), new Append(b("b6")).addColumn(F, b("s"), b("s")),
        new Delete(b("b3")))));
    check("all kinds applied", "b6[f:a@1=1 f:n=7 f:s=s] -", all("b6") + " " + all("b3"));
    Object[] results = new Object[3];
    AtomicInteger called = new AtomicInteger();
    table.batchCallback(List.of(put("b7", "f:a@1=1"), new Get(b("b1")), put("x7", "f:a@1=1")), results,
        (region, row, result) -> called.incrementAndGet());
    check("callback", 3, called.get());
    RowMutations mutations = new RowMutations(b("b8"));
    mutations.add(put("b8", "f:a@1=1", "f:b@1=2"));
    mutations.add(new Delete(b("b8")).addColumns(F, A, 1));
    Object[] two = new Object[2];
    table.batch(List.of(mutations, new Get(b("b1"))), two);
    check("row mutations in a batch", "b8[f:b@1=2] b1[f:a@1=1]", all("b8") + " " + Show.result((Result) two[1]));
    check("empty batch", "", batch(new ArrayList<Row>()));
  }

  private void failures() throws Exception {
    table.put(put("n1", "f:a@1=text"));
    check("a failing put among puts", "- NoSuchColumnFamilyException - !",
        batch(List.of(put("n2", "f:a@1=1"), put("n3", "none:a@1=1"), put("n4", "f:a@1=1"))));
    check("its neighbours are written", "n2[f:a@1=1] - n4[f:a@1=1]", all("n2") + " " + all("n3") + " " + all("n4"));
    check("a failing get among gets", "n2[f:a@1=1] NoSuchColumnFamilyException n4[f:a@1=1] !",
        batch(List.of(new Get(b("n2")), new Get(b("n3")).addFamily(b("none")), new Get(b("n4")))));
    check("failures of two regions", "NoSuchColumnFamilyException n2[f:a@1=1] NoSuchColumnFamilyException - !",
        batch(List.of(put("a", "none:a@1=1"), new Get(b("n2")), put("x", "none:a@1=1"), new Get(b("x0")))));
    check("an increment of no number", "n5[f:a=1] DoNotRetryIOException - !", batch(List.of(
        new Increment(b("n5")).addColumn(F, A, 1), new Increment(b("n1")).addColumn(F, A, 1), put("n6", "f:a@1=1"))));
    check("the value is as it was", "n1[f:a@1=text] n6[f:a@1=1]", all("n1") + " " + all("n6"));
    fails("puts with a failing one", "NoSuchColumnFamilyException", "",
        () -> table.put(List.of(put("n7", "f:a@1=1"), put("n8", "none:a@1=1"))));
    check("puts beside a failing one", "n7[f:a@1=1]", all("n7"));
    fails("gets with a failing one", "NoSuchColumnFamilyException", "",
        () -> table.get(List.of(new Get(b("n2")), new Get(b("n3")).addFamily(b("none")))));
    List<Delete> deletes = new ArrayList<>(List.of(new Delete(b("n2")), new Delete(b("n3")).addFamily(b("none")),
        new Delete(b("n4"))));
    fails("deletes with a failing one", "NoSuchColumnFamilyException", "", () -> table.delete(deletes));
    check("deletes beside a failing one", "- -", all("n2") + " " + all("n4"));
  }

  /** A failed action's cells must be skipped, or every later action gets the wrong ones. */
  private void cellsAfterFailure() throws Exception {
    List<Row> actions = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String row = String.format("c%02d", i);
      String family = i % 3 == 1 ? "none" : "f";
      Put put = new Put(b(row));
      for (int q = 0; q <= i % 4; q++) {
        put.addColumn(b(family), b("q" + q), 1, b(row + q));
      }
      actions.add(put);
    }
    Object[] results = new Object[actions.size()];
    fails("every third fails", "NoSuchColumnFamilyException", "", () -> table.batch(actions, results));
    int wrong = 0;
    for (int i = 0; i < 30; i++) {
      String row = String.format("c%02d", i);
      StringBuilder want = new StringBuilder(row + "[");
      for (int q = 0; q <= i % 4; q++) {
        want.append(q == 0 ? "" : " ").append("f:q").append(q).append("@1=").append(row).append(q);
      }
      wrong += all(row).equals(i % 3 == 1 ? "-" : want + "]") ? 0 : 1;
    }
    check("the others have their own cells", 0, wrong);
  }

  private void large() throws Exception {
    List<Put> puts = new ArrayList<>();
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      String row = String.format("%c%05d", "aknz".charAt(i % 4), i);
      puts.add(put("L" + row, "f:a@1=" + i, "g:a@1=" + i));
      gets.add(new Get(b("L" + row)));
    }
    table.put(puts);
    Result[] results = table.get(gets);
    int wrong = 0;
    for (int i = 0; i < results.length; i++) {
      wrong += Integer.toString(i).equals(Show.value(results[i].getValue(G, A))) ? 0 : 1;
    }
    check("3000 puts and gets", 0, wrong);
    byte[] value = new byte[100_000];
    List<Put> big = new ArrayList<>();
    List<Get> bigGets = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      value[0] = (byte) i;
      big.add(new Put(b("B" + i)).addColumn(F, A, 1, value.clone()));
      bigGets.add(new Get(b("B" + i)));
    }
    table.put(big);
    wrong = 0;
    Result[] bigResults = table.get(bigGets);
    for (int i = 0; i < bigResults.length; i++) {
      wrong += bigResults[i].value().length == 100_000 && bigResults[i].value()[0] == i ? 0 : 1;
    }
    check("6 MB of puts and gets", 0, wrong);
  }

  private void mutateRow() throws Exception {
    RowMutations mutations = new RowMutations(b("m1"));
    mutations.add(put("m1", "f:a@1=1", "g:b@1=2"));
    table.mutateRow(mutations);
    check("mutate row", "m1[f:a@1=1 g:b@1=2]", all("m1"));
    mutations = new RowMutations(b("m1"));
    mutations.add(put("m1", "f:c@5=3"));
    mutations.add(new Delete(b("m1")).addFamily(G));
    mutations.add(new Delete(b("m1")).addColumn(F, A, 1));
    table.mutateRow(mutations);
    check("mutate row with deletes", "m1[f:c@5=3]", all("m1"));
    RowMutations bad = new RowMutations(b("m2"));
    bad.add(put("m2", "f:a@1=1"));
    bad.add(put("m2", "none:a@1=1"));
    fails("mutate row with an unknown family", "NoSuchColumnFamilyException", "", () -> table.mutateRow(bad));
    check("nothing of it is written", "-", all("m2"));
    RowMutations same = new RowMutations(b("m3"));
    same.add(put("m3", "f:a=1"));
    same.add(new Delete(b("m3")).addColumns(F, A));
    table.mutateRow(same);
    check("put and delete of one moment: the delete wins", "-", all("m3"));
  }

  private void buffered() throws Exception {
    try (BufferedMutator mutator = connection.getBufferedMutator(table.getName())) {
      for (int i = 0; i < 500; i++) {
        mutator.mutate(put("bm" + i, "f:a@1=" + i));
      }
      mutator.flush();
      check("flush", "bm499[f:a@1=499]", all("bm499"));
      mutator.mutate(List.of(new Delete(b("bm1")), put("bm2", "f:b@1=2")));
    }
    check("close flushes", "- bm2[f:a@1=2 f:b@1=2]", all("bm1") + " " + all("bm2"));
    int rows = 0;
    try (var scanner = table.getScanner(new Scan().withStartRow(b("bm")).withStopRow(b("bn")))) {
      for (Result result : scanner) {
        rows += result.isEmpty() ? 0 : 1;
      }
    }
    check("all are there", 499, rows);
    AtomicInteger failures = new AtomicInteger();
    BufferedMutatorParams params = new BufferedMutatorParams(table.getName()).writeBufferSize(2000)
        .listener((e, m) -> failures.addAndGet(e.getNumExceptions()));
    try (BufferedMutator mutator = connection.getBufferedMutator(params)) {
      for (int i = 0; i < 50; i++) {
        mutator.mutate(put("bf" + i, (i == 20 ? "none" : "f") + ":a@1=" + i));
      }
    }
    check("failures go to the listener", "1 bf49[f:a@1=49] " + Arrays.asList("-"),
        failures.get() + " " + all("bf49") + " " + Arrays.asList(all("bf20")));
  }
}
