package basalt.conformance;

import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;

/** Conditional writes through the builder, which every 2.x and 3.0 client has. */
public final class ConditionChecks extends Checks {
  private Table table;

  @Override
  void run() throws Exception {
    table = create("t");
    part("put", this::puts);
    part("delete", this::deletes);
    part("mutate", this::mutates);
    part("operators", this::operators);
    part("nothing there", this::absent);
    part("time range", this::timeRange);
    part("errors", this::errors);
  }

  private String all(String row) throws Exception {
    return Show.result(table.get(new Get(b(row)).readAllVersions()));
  }

  private Table.CheckAndMutateBuilder when(String row, byte[] qualifier) {
    return table.checkAndMutate(b(row), F).qualifier(qualifier);
  }

  private void puts() throws Exception {
    check("put if absent", true, when("p1", A).ifNotExists().thenPut(put("p1", "f:a@1=1")));
    check("put if absent, but present", false, when("p1", A).ifNotExists().thenPut(put("p1", "f:a@2=2")));
    check("the first stays", "p1[f:a@1=1]", all("p1"));
    check("put if equal", true, when("p1", A).ifEquals(b("1")).thenPut(put("p1", "f:b@2=2")));
    check("put if equal, but not", false, when("p1", A).ifEquals(b("2")).thenPut(put("p1", "f:b@3=3")));
    check("put into another family", true, when("p1", B).ifEquals(b("2")).thenPut(put("p1", "g:a@1=1")));
    check("all of them", "p1[f:a@1=1 f:b@2=2 g:a@1=1]", all("p1"));
    check("put the checked column", true, when("p1", A).ifEquals(b("1")).thenPut(put("p1", "f:a=new")));
    check("newest is what counts", "true false", when("p1", A).ifEquals(b("new")).thenPut(put("p1", "f:c@1=1")) + " "
        + when("p1", A).ifEquals(b("1")).thenPut(put("p1", "f:c@2=2")));
    int lost = 0;
    for (int i = 0; i < 100; i++) {
      String row = "q" + i;
      when(row, A).ifNotExists().thenPut(put(row, "f:a=first"));
      table.put(put(row, "f:a=second"));
      lost += Show.result(table.get(new Get(b(row)))).equals(row + "[f:a=second]") ? 0 : 1;
    }
    check("a put right after a conditional one wins", 0, lost);
  }

  private void deletes() throws Exception {
    table.put(put("d1", "f:a@1=1", "f:b@1=2", "g:a@1=3"));
    check("delete, but not equal", false, when("d1", A).ifEquals(b("2")).thenDelete(new Delete(b("d1"))));
    check("delete if equal", true, when("d1", A).ifEquals(b("1")).thenDelete(new Delete(b("d1")).addColumns(F, B)));
    check("deleted the column", "d1[f:a@1=1 g:a@1=3]", all("d1"));
    check("delete the row", true, when("d1", A).ifEquals(b("1")).thenDelete(new Delete(b("d1"))));
    check("deleted the row", "-", all("d1"));
    check("then it is absent", true, when("d1", A).ifNotExists().thenDelete(new Delete(b("d1"))));
  }

  private void mutates() throws Exception {
    table.put(put("m1", "f:a@1=1", "f:b@1=2"));
    RowMutations mutations = new RowMutations(b("m1"));
    mutations.add(put("m1", "f:c@1=3", "g:a@1=4"));
    mutations.add(new Delete(b("m1")).addColumns(F, B));
    check("mutate, but not equal", false, when("m1", A).ifEquals(b("2")).thenMutate(mutations));
    check("nothing happened", "m1[f:a@1=1 f:b@1=2]", all("m1"));
    check("mutate if equal", true, when("m1", A).ifEquals(b("1")).thenMutate(mutations));
    check("all happened", "m1[f:a@1=1 f:c@1=3 g:a@1=4]", all("m1"));
    RowMutations nowhere = new RowMutations(b("m1"));
    nowhere.add(put("m1", "none:a@1=1"));
    check("a missing family under a condition that does not hold", false, when("m1", A).ifEquals(b("2")).thenMutate(nowhere));
    fails("a missing family under one that holds", "NoSuchColumnFamilyException", "none",
        () -> when("m1", A).ifEquals(b("1")).thenMutate(nowhere));
  }

  /** The operand stands on the left of the operator. */
  private void operators() throws Exception {
    table.put(new Put(b("o1")).addColumn(F, A, 1, Bytes.toBytes(100L)));
    Object[][] cases = {
      {50L, "LESS LESS_OR_EQUAL NOT_EQUAL"}, {100L, "LESS_OR_EQUAL EQUAL GREATER_OR_EQUAL"},
      {150L, "NOT_EQUAL GREATER_OR_EQUAL GREATER"},
    };
    for (Object[] c : cases) {
      StringBuilder holds = new StringBuilder();
      for (CompareOperator op : CompareOperator.values()) {
        if (op != CompareOperator.NO_OP
            && when("o1", A).ifMatches(op, Bytes.toBytes((Long) c[0])).thenPut(put("o1", "f:b@1=x"))) {
          holds.append(holds.length() == 0 ? "" : " ").append(op);
        }
      }
      check("operators that hold for " + c[0] + " against 100", c[1], holds);
    }
  }

  private void absent() throws Exception {
    table.put(put("n1", "f:a@1=", "f:b@1=x"));
    check("an empty value counts as absent", true, when("n1", A).ifNotExists().thenPut(put("n1", "f:c@1=1")));
    check("a missing column never equals", false, when("n1", b("none")).ifEquals(b("x")).thenPut(put("n1", "f:c@2=2")));
    check("nor differs", false, when("n1", b("none")).ifMatches(CompareOperator.NOT_EQUAL, b("x")).thenPut(put("n1", "f:c@2=2")));
    check("nor is less", false, when("n1", b("none")).ifMatches(CompareOperator.LESS, b("x")).thenPut(put("n1", "f:c@2=2")));
    check("empty operand, missing column", true, when("n1", b("none")).ifMatches(CompareOperator.EQUAL, new byte[0])
        .thenPut(put("n1", "f:d@1=1")));
    check("empty operand, not equal, value there", true, when("n1", B).ifMatches(CompareOperator.NOT_EQUAL, new byte[0])
        .thenPut(put("n1", "f:e@1=1")));
    check("empty operand, not equal, missing", false, when("n1", b("none")).ifMatches(CompareOperator.NOT_EQUAL, new byte[0])
        .thenPut(put("n1", "f:f@1=1")));
    check("row after all that", "n1[f:a@1= f:b@1=x f:c@1=1 f:d@1=1 f:e@1=1]", all("n1"));
    table.put(put("n2", "f:@1=v"));
    check("empty qualifier", true, table.checkAndMutate(b("n2"), F).ifEquals(b("v")).thenPut(put("n2", "f:b@1=1")));
  }

  private void timeRange() throws Exception {
    table.put(put("t1", "f:a@10=ten", "f:a@20=twenty"));
    check("in the range", true, when("t1", A).timeRange(TimeRange.between(0, 15)).ifEquals(b("ten")).thenPut(put("t1", "f:b@1=1")));
    check("not in the range", false, when("t1", A).timeRange(TimeRange.between(0, 15)).ifEquals(b("twenty"))
        .thenPut(put("t1", "f:c@1=1")));
    check("absent in the range", true, when("t1", A).timeRange(TimeRange.between(0, 5)).ifNotExists().thenPut(put("t1", "f:d@1=1")));
  }

  private void errors() throws Exception {
    fails("condition on an unknown family", "NoSuchColumnFamilyException", "",
        () -> table.checkAndMutate(b("e1"), b("none")).qualifier(A).ifNotExists().thenPut(put("e1", "f:a@1=1")));
    fails("write to an unknown family", "NoSuchColumnFamilyException", "",
        () -> when("e1", A).ifNotExists().thenPut(put("e1", "none:a@1=1")));
    fails("write to another row", "DoNotRetryIOException", "", () -> when("e1", A).ifNotExists().thenPut(put("e2", "f:a@1=1")));
    check("nothing written", "- -", all("e1") + " " + all("e2"));
  }
}
