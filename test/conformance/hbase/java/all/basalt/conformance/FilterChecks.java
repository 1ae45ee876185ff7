package basalt.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BigDecimalComparator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.BitComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.LongComparator;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RandomRowFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Every filter and comparator that HBase ships, alone and in lists. */
public final class FilterChecks extends Checks {
  private static final String R1 = "r1[f:a@1=1 f:b@2=2 f:c@3=3 g:a@1=1]";
  private static final String R2 = "r2[f:a@1=2 f:b@2=4 g:a@1=1]";
  private static final String R3 = "r3[f:a@1=3 g:b@2=9]";
  private static final String R4 = "r4[f:b@5=Zebra f:c@3=3]";

  private Table table;

  @Override
  void run() throws Exception {
    table = create("t");
    table.put(List.of(put("r1", "f:a@1=1", "f:b@2=2", "f:c@3=3", "g:a@1=1"), put("r2", "f:a@1=2", "f:b@2=4", "g:a@1=1"),
        put("r3", "f:a@1=3", "g:b@2=9"), put("r4", "f:b@5=Zebra", "f:c@3=3")));
    part("rows", this::rows);
    part("columns", this::columns);
    part("values", this::values);
    part("single column value", this::singleColumnValue);
    part("lists", this::lists);
    part("comparators", this::comparators);
    part("paging", this::paging);
    part("fuzzy", this::fuzzy);
    part("versions", this::versions);
    part("text", this::text);
  }

  private void f(String name, String expected, Filter filter) throws Exception {
    check(name, expected, Show.scan(table, new Scan().setFilter(filter)));
  }

  private void backwards(String name, String expected, Filter filter) throws Exception {
    check(name, expected, Show.keys(connection, table, new Scan().setReversed(true).setFilter(filter)));
  }

  private static BinaryComparator is(String s) {
    return new BinaryComparator(b(s));
  }

  private void rows() throws Exception {
    f("row equal", R2, new RowFilter(CompareOperator.EQUAL, is("r2")));
    f("row not equal", R1 + " " + R3 + " " + R4, new RowFilter(CompareOperator.NOT_EQUAL, is("r2")));
    f("row less", R1, new RowFilter(CompareOperator.LESS, is("r2")));
    f("row less or equal", R1 + " " + R2, new RowFilter(CompareOperator.LESS_OR_EQUAL, is("r2")));
    f("row greater", R3 + " " + R4, new RowFilter(CompareOperator.GREATER, is("r2")));
    f("row greater or equal", R4, new RowFilter(CompareOperator.GREATER_OR_EQUAL, is("r4")));
    f("row by regex", R1 + " " + R3, new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^r[13]$")));
    f("prefix", R3, new PrefixFilter(b("r3")));
    f("prefix of none", "", new PrefixFilter(b("q")));
    backwards("prefix, reversed", "r4 r3 r2 r1", new PrefixFilter(b("r")));
    f("inclusive stop", R1 + " " + R2, new InclusiveStopFilter(b("r2")));
    backwards("inclusive stop, reversed", "r4 r3", new InclusiveStopFilter(b("r3")));
    f("random row, always", R1 + " " + R2 + " " + R3 + " " + R4, new RandomRowFilter(2f));
    f("random row, never", "", new RandomRowFilter(-1f));
    f("row ranges", R1 + " " + R3, new MultiRowRangeFilter(ranges(
        new MultiRowRangeFilter.RowRange(b("r1"), true, b("r2"), false),
        new MultiRowRangeFilter.RowRange(b("r2"), false, b("r3"), true))));
    backwards("row ranges, reversed", "r4 r1", new MultiRowRangeFilter(ranges(
        new MultiRowRangeFilter.RowRange(b("r1"), true, b("r1"), true),
        new MultiRowRangeFilter.RowRange(b("r4"), true, b("r9"), false))));
  }

  private static List<MultiRowRangeFilter.RowRange> ranges(MultiRowRangeFilter.RowRange... ranges) {
    return new ArrayList<>(Arrays.asList(ranges)); // the filter sorts it in place
  }

  private void columns() throws Exception {
    f("family", "r1[g:a@1=1] r2[g:a@1=1] r3[g:b@2=9]", new FamilyFilter(CompareOperator.EQUAL, is("g")));
    f("qualifier", "r1[f:b@2=2] r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra]", new QualifierFilter(CompareOperator.EQUAL, is("b")));
    f("qualifier greater", "r1[f:c@3=3] r4[f:c@3=3]", new QualifierFilter(CompareOperator.GREATER, is("b")));
    f("column prefix", "r1[f:a@1=1 g:a@1=1] r2[f:a@1=2 g:a@1=1] r3[f:a@1=3]", new ColumnPrefixFilter(b("a")));
    f("several column prefixes", "r1[f:a@1=1 f:c@3=3 g:a@1=1] r2[f:a@1=2 g:a@1=1] r3[f:a@1=3] r4[f:c@3=3]",
        new MultipleColumnPrefixFilter(new byte[][] {b("a"), b("c")}));
    f("column range", "r1[f:b@2=2] r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra]", new ColumnRangeFilter(b("b"), true, b("c"), false));
    f("column range, the other ends", "r1[f:b@2=2 f:c@3=3] r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra f:c@3=3]",
        new ColumnRangeFilter(b("a"), false, b("c"), true));
    f("column range without ends", R1 + " " + R2 + " " + R3 + " " + R4, new ColumnRangeFilter(null, true, null, true));
    f("first key only", "r1[f:a@1=1] r2[f:a@1=2] r3[f:a@1=3] r4[f:b@5=Zebra]", new FirstKeyOnlyFilter());
    f("key only", "r1[f:a@1= f:b@2= f:c@3= g:a@1=] r2[f:a@1= f:b@2= g:a@1=] r3[f:a@1= g:b@2=] r4[f:b@5= f:c@3=]",
        new KeyOnlyFilter());
    f("key only with lengths", "r4[f:b@5=\\x00\\x00\\x00\\x05 f:c@3=\\x00\\x00\\x00\\x01]",
        new FilterList(new PrefixFilter(b("r4")), new KeyOnlyFilter(true)));
    f("dependent column", "r1[f:a@1=1 g:a@1=1] r2[f:a@1=2 g:a@1=1] r3[f:a@1=3]", new DependentColumnFilter(F, A));
    f("dependent column, dropped", "r1[g:a@1=1] r2[g:a@1=1]", new DependentColumnFilter(F, A, true));
    f("dependent column with a value", "r2[f:a@1=2 g:a@1=1]",
        new DependentColumnFilter(F, A, false, CompareOperator.EQUAL, is("2")));
    f("timestamps", "r1[f:b@2=2] r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra]", new TimestampsFilter(List.of(2L, 5L)));
  }

  private void values() throws Exception {
    f("value", "r1[f:c@3=3] r3[f:a@1=3] r4[f:c@3=3]", new ValueFilter(CompareOperator.EQUAL, is("3")));
    f("value greater", "r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.GREATER, is("3")));
    f("value, no operator", "", new ValueFilter(CompareOperator.NO_OP, is("3")));
    f("skip rows with a value", "r3[f:a@1=3 g:b@2=9] r4[f:b@5=Zebra f:c@3=3]",
        new SkipFilter(new ValueFilter(CompareOperator.NOT_EQUAL, is("1"))));
    f("while match", "r1[f:a@1=1 f:b@2=2 f:c@3=3 g:a@1=1]", new WhileMatchFilter(new RowFilter(CompareOperator.NOT_EQUAL, is("r2"))));
    f("column value", "r1[f:b@2=2] r2[f:b@2=4]", new ColumnValueFilter(F, B, CompareOperator.LESS, is("5")));
    f("column value of none", "", new ColumnValueFilter(F, b("none"), CompareOperator.EQUAL, is("5")));
  }

  private void singleColumnValue() throws Exception {
    f("single column", R1 + " " + R3, new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, is("2")));
    SingleColumnValueFilter strict = new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, is("2"));
    strict.setFilterIfMissing(true);
    f("single column, missing ones dropped", R1, strict);
    f("single column not equal", R2 + " " + R3 + " " + R4, new SingleColumnValueFilter(F, B, CompareOperator.NOT_EQUAL, is("2")));
    f("single column excluded", "r1[f:a@1=1 f:c@3=3 g:a@1=1] r3[f:a@1=3 g:b@2=9]",
        new SingleColumnValueExcludeFilter(F, B, CompareOperator.EQUAL, is("2")));
    f("single column, substring", R3 + " " + R4,
        new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, new SubstringComparator("EBR")));
    check("single column that is not selected", "r1[f:a@1=1] r2[f:a@1=2] r3[f:a@1=3]",
        Show.scan(table, new Scan().addColumn(F, A).setFilter(new SingleColumnValueFilter(F, B, CompareOperator.EQUAL, is("2")))));
    check("get with single column", "-", Show.result(table.get(new Get(b("r2")).setFilter(strict))));
    try (Table versions = create("scv")) {
      versions.put(put("r1", "f:a@1=old", "f:a@2=new"));
      SingleColumnValueFilter old = new SingleColumnValueFilter(F, A, CompareOperator.EQUAL, is("old"));
      check("latest version only", "", Show.scan(versions, new Scan().readAllVersions().setFilter(old)));
      old.setLatestVersionOnly(false);
      check("any version", "r1[f:a@2=new f:a@1=old]", Show.scan(versions, new Scan().readAllVersions().setFilter(old)));
    }
  }

  private void lists() throws Exception {
    f("all", "r1[f:b@2=2]", new FilterList(FilterList.Operator.MUST_PASS_ALL, new PrefixFilter(b("r1")),
        new QualifierFilter(CompareOperator.EQUAL, is("b"))));
    f("one", "r1[f:a@1=1 f:b@2=2 f:c@3=3 g:a@1=1] r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra]",
        new FilterList(FilterList.Operator.MUST_PASS_ONE, new PrefixFilter(b("r1")),
            new QualifierFilter(CompareOperator.EQUAL, is("b"))));
    f("nested", "r1[f:a@1=1] r2[f:a@1=2]", new FilterList(
        new FilterList(FilterList.Operator.MUST_PASS_ONE, new RowFilter(CompareOperator.EQUAL, is("r1")),
            new RowFilter(CompareOperator.EQUAL, is("r2"))), new FirstKeyOnlyFilter()));
    f("range and page of columns", "r1[f:b@2=2] r2[f:b@2=4] r3[g:b@2=9] r4[f:b@5=Zebra]",
        new FilterList(new ColumnRangeFilter(b("b"), true, b("d"), false), new ColumnPaginationFilter(1, 0)));
    f("one of two single columns", R1 + " " + R2, one(
        strict("a", "1"), strict("b", "4")));
    f("all of two single columns", R1, new FilterList(strict("a", "1"), strict("b", "2")));
    f("empty list", R1 + " " + R2 + " " + R3 + " " + R4, new FilterList());
    f("first key of pages", "r1[f:a@1=] r2[f:a@1=]", new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter(), new PageFilter(2)));
    backwards("one, reversed", "r4 r1", one(new RowFilter(CompareOperator.EQUAL, is("r1")), new PrefixFilter(b("r4"))));
  }

  private static FilterList one(Filter... filters) {
    return new FilterList(FilterList.Operator.MUST_PASS_ONE, Arrays.asList(filters));
  }

  private static SingleColumnValueFilter strict(String qualifier, String value) {
    SingleColumnValueFilter filter = new SingleColumnValueFilter(F, b(qualifier), CompareOperator.EQUAL, is(value));
    filter.setFilterIfMissing(true);
    return filter;
  }

  private void comparators() throws Exception {
    try (Table t = create("cmp")) {
      t.put(new Put(b("n1")).addColumn(F, A, 1, Bytes.toBytes(5L)).addColumn(F, B, 1, Bytes.toBytes(new java.math.BigDecimal("1.50"))));
      t.put(new Put(b("n2")).addColumn(F, A, 1, Bytes.toBytes(-5L)).addColumn(F, B, 1, Bytes.toBytes(new java.math.BigDecimal("-3"))));
      t.put(new Put(b("n3")).addColumn(F, A, 1, Bytes.toBytes(500L)).addColumn(F, B, 1, Bytes.toBytes(new java.math.BigDecimal("200"))));
      check("long comparator", "n2", keys(t, A, CompareOperator.LESS, new LongComparator(5)));
      check("long comparator, or equal", "n1 n2", keys(t, A, CompareOperator.LESS_OR_EQUAL, new LongComparator(5)));
      check("binary comparator is unsigned", "n2 n3", keys(t, A, CompareOperator.GREATER, new BinaryComparator(Bytes.toBytes(5L))));
      check("decimal comparator", "n1 n3", keys(t, B, CompareOperator.GREATER, new BigDecimalComparator(new java.math.BigDecimal("-2.9"))));
      check("decimal comparator, scale", "n1", keys(t, B, CompareOperator.EQUAL, new BigDecimalComparator(new java.math.BigDecimal("1.5"))));
      byte[] mask = Bytes.toBytes(4L);
      check("bits and", "n1 n3", keys(t, A, CompareOperator.EQUAL, new BitComparator(mask, BitComparator.BitwiseOp.AND)));
      check("bits xor", "n1 n2 n3", keys(t, A, CompareOperator.EQUAL, new BitComparator(mask, BitComparator.BitwiseOp.XOR)));
      check("bits of other lengths", "n1 n2 n3", keys(t, A, CompareOperator.NOT_EQUAL,
          new BitComparator(new byte[] {1}, BitComparator.BitwiseOp.AND)));
      check("null comparator", "", keys(t, A, CompareOperator.EQUAL, new NullComparator()));
      check("null comparator, not", "n1 n2 n3", keys(t, A, CompareOperator.NOT_EQUAL, new NullComparator()));
    }
    f("binary prefix", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(b("Ze"))));
    f("substring ignores case", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("zEb")));
    f("regex finds", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.EQUAL, new RegexStringComparator("e.*r")));
    f("regex with flags", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.EQUAL,
        new RegexStringComparator("^zebra$", java.util.regex.Pattern.CASE_INSENSITIVE)));
    f("regex look-ahead", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.EQUAL, new RegexStringComparator("^Z(?=eb)")));
    f("regex, not", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.NOT_EQUAL, new RegexStringComparator("^[0-9]$")));
    f("regex by joni", "r4[f:b@5=Zebra]", new ValueFilter(CompareOperator.EQUAL,
        new RegexStringComparator("e[b-c]r", RegexStringComparator.EngineType.JONI)));
  }

  private String keys(Table t, byte[] qualifier, CompareOperator op, ByteArrayComparable operand) throws Exception {
    SingleColumnValueFilter filter = new SingleColumnValueFilter(F, qualifier, op, operand);
    filter.setFilterIfMissing(true);
    return Show.keys(connection, t, new Scan().setFilter(filter));
  }

  private void paging() throws Exception {
    f("page", R1 + " " + R2, new PageFilter(2));
    backwards("page, reversed", "r4 r3 r2", new PageFilter(3));
    f("column pagination", "r1[f:b@2=2] r2[f:b@2=4] r3[g:b@2=9] r4[f:c@3=3]", new ColumnPaginationFilter(1, 1));
    f("column pagination by name", "r1[f:b@2=2 f:c@3=3] r2[f:b@2=4 g:a@1=1] r3[g:b@2=9] r4[f:b@5=Zebra f:c@3=3]",
        new ColumnPaginationFilter(2, b("b")));
    check("column count", "r1[f:a@1=1 f:b@2=2 f:c@3=3]",
        Show.result(table.get(new Get(b("r1")).setFilter(new ColumnCountGetFilter(3)))));
    check("page with limit and caching", "r1 r2 r3",
        Show.keys(connection, table, new Scan().setFilter(new PageFilter(3)).setCaching(1).setLimit(9)));
    check("filter with a limit", "r2 r3", Show.keys(connection, table,
        new Scan().setLimit(2).setFilter(new RowFilter(CompareOperator.GREATER, is("r1")))));
  }

  private void fuzzy() throws Exception {
    try (Table t = create("fuzzy")) {
      List<Put> puts = new ArrayList<>();
      for (String row : "aa01 aa02 ab01 ab03 bb01 bb02 cc99".split(" ")) {
        puts.add(put(row, "f:a@1=1"));
      }
      t.put(puts);
      Filter first = new FuzzyRowFilter(List.of(new Pair<>(b("??01"), new byte[] {1, 1, 0, 0})));
      check("fuzzy", "aa01 ab01 bb01", Show.keys(connection, t, new Scan().setFilter(first)));
      Filter two = new FuzzyRowFilter(List.of(new Pair<>(b("??01"), new byte[] {1, 1, 0, 0}),
          new Pair<>(b("cc??"), new byte[] {0, 0, 1, 1})));
      check("two fuzzy keys", "aa01 ab01 bb01 cc99", Show.keys(connection, t, new Scan().setFilter(two)));
      Filter inner = new FuzzyRowFilter(List.of(new Pair<>(b("a?0?"), new byte[] {0, 1, 0, 1})));
      check("fuzzy in the middle", "aa01 aa02 ab01 ab03", Show.keys(connection, t, new Scan().setFilter(inner)));
      check("fuzzy of a shorter key", "bb01 bb02", Show.keys(connection, t,
          new Scan().setFilter(new FuzzyRowFilter(List.of(new Pair<>(b("bb"), new byte[] {0, 0}))))));
    }
  }

  private void versions() throws Exception {
    try (Table t = create("versions")) {
      t.put(put("r1", "f:a@1=1", "f:a@2=2", "f:a@3=3", "f:a@4=4", "f:a@5=5", "f:a@6=6", "f:b@3=3"));
      check("a filter sees the family's versions", "r1[f:a@3=3 f:b@3=3]",
          Show.scan(t, new Scan().readVersions(1).setFilter(new ValueFilter(CompareOperator.EQUAL, is("3")))));
      check("but not those beyond", "", Show.scan(t, new Scan().readVersions(1).setFilter(new ValueFilter(CompareOperator.EQUAL, is("1")))));
      check("a filter and all versions", "r1[f:a@4=4 f:a@3=3 f:a@2=2 f:b@3=3]",
          Show.scan(t, new Scan().readAllVersions().setFilter(new ValueFilter(CompareOperator.LESS, is("5")))));
      check("a filter and two versions", "r1[f:a@4=4 f:a@3=3 f:b@3=3]",
          Show.scan(t, new Scan().readVersions(2).setFilter(new ValueFilter(CompareOperator.LESS, is("5")))));
      check("timestamps filter", "r1[f:a@4=4 f:a@2=2]", Show.scan(t,
          new Scan().readAllVersions().setFilter(new TimestampsFilter(List.of(2L, 4L)))));
      check("first key of versions", "r1[f:a@6=6]", Show.scan(t, new Scan().readAllVersions().setFilter(new FirstKeyOnlyFilter())));
      check("pagination of versions", "r1[f:a@6=6 f:b@3=3]",
          Show.scan(t, new Scan().setFilter(new ColumnPaginationFilter(2, 0))));
    }
  }

  private void text() throws Exception {
    ParseFilter parser = new ParseFilter();
    f("text of a filter", "r1[f:b@2=2] r2[f:b@2=4]",
        parser.parseFilterString("QualifierFilter(=, 'binary:b') AND (PrefixFilter('r1') OR PrefixFilter('r2'))"));
    f("text of a single column", R1, parser.parseFilterString("SingleColumnValueFilter('f', 'b', =, 'binary:2', true, true)"));
    f("text with skip", R3 + " " + R4, parser.parseFilterString("SKIP ValueFilter(!=, 'binary:1')"));
  }
}
