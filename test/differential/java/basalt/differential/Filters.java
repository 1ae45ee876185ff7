package basalt.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.CompareOperator;
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
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Pair;

/**
 * Random trees of filters. A tree is a function of a seed and the row prefix, so that it can be made anew for every
 * run: filters keep state.
 */
final class Filters {
  private final Random random;
  private final String prefix;
  private final boolean reversed;
  private final boolean get;
  /** Inside of a list of which one filter must pass: scanning in reverse, HBase compares hints the wrong way round there. */
  private boolean inOne;
  /**
   * Inside of a SkipFilter or WhileMatchFilter, where HBase trips over the null that a MultiRowRangeFilter starts with, and
   * which do not tell the filter inside that a scan is reversed.
   */
  private boolean wrapped;

  private Filters(long seed, String prefix, boolean reversed, boolean get) {
    this.random = new Random(seed);
    this.prefix = prefix;
    this.reversed = reversed;
    this.get = get;
  }

  static Filter forGet(long seed, String prefix) {
    return new Filters(seed, prefix, false, true).tree(2);
  }

  static Filter forScan(long seed, String prefix, boolean reversed) {
    return new Filters(seed, prefix, reversed, false).tree(2);
  }

  private Filter tree(int depth) {
    if (depth > 0 && random.nextInt(100) < 40) {
      switch (random.nextInt(6)) {
        case 0:
        case 1:
          boolean outer = wrapped;
          wrapped = true;
          Filter inner = leaf();
          wrapped = outer;
          return random.nextBoolean() ? new SkipFilter(inner) : new WhileMatchFilter(inner);
        default:
          boolean one = random.nextBoolean();
          boolean before = inOne;
          inOne |= one;
          List<Filter> members = new ArrayList<>();
          for (int i = 2 + random.nextInt(2); i > 0; i--) {
            members.add(tree(depth - 1));
          }
          inOne = before;
          return new FilterList(one ? FilterList.Operator.MUST_PASS_ONE : FilterList.Operator.MUST_PASS_ALL, members);
      }
    }
    return leaf();
  }

  private Filter leaf() {
    int kind = random.nextInt(22);
    boolean hints = kind >= 9 && kind <= 11 || kind == 13 || kind == 16 || kind == 18 || kind == 19;
    boolean directed = kind == 1 || kind == 2;
    // Wrapped, a filter of one family judges the rows without their other families, or with them, as
    // loadColumnFamiliesOnDemand is.
    boolean ofFamily = kind == 7;
    boolean differs = hints && inOne && reversed || (kind == 18 || ofFamily || directed && reversed) && wrapped;
    switch (differs ? 3 + kind % 4 : kind) {
      case 0:
        return new RowFilter(operator(), new BinaryComparator(row()));
      case 1:
        return new PrefixFilter(Schema.bytes(prefix + "r0" + (random.nextBoolean() ? "" : random.nextInt(10))));
      case 2:
        return new InclusiveStopFilter(row());
      case 3:
        return new FamilyFilter(operator(), new BinaryComparator(family()));
      case 4:
        return new QualifierFilter(operator(), new BinaryComparator(qualifier()));
      case 5:
        return new ValueFilter(operator(), comparator());
      case 6:
        SingleColumnValueFilter single = random.nextBoolean() ? new SingleColumnValueFilter(family(), qualifier(), operator(), comparator())
            : new SingleColumnValueExcludeFilter(family(), qualifier(), operator(), comparator());
        single.setFilterIfMissing(random.nextBoolean() && !wrapped); // else it is one of a family
        single.setLatestVersionOnly(random.nextBoolean());
        return single;
      case 7:
        return new ColumnValueFilter(family(), qualifier(), operator(), comparator());
      case 8:
        return random.nextBoolean() ? new DependentColumnFilter(family(), qualifier(), random.nextBoolean())
            : new DependentColumnFilter(family(), qualifier(), random.nextBoolean(), operator(), comparator());
      case 9:
        return new ColumnPrefixFilter(Schema.bytes(random.nextBoolean() ? "b" : "a"));
      case 10:
        return new MultipleColumnPrefixFilter(new byte[][] {Schema.bytes("a"), Schema.bytes(random.nextBoolean() ? "ba" : "n")});
      case 11:
        return new ColumnRangeFilter(random.nextInt(4) == 0 ? null : qualifier(), random.nextBoolean(),
            random.nextInt(4) == 0 ? null : qualifier(), random.nextBoolean());
      case 12:
        return new ColumnPaginationFilter(1 + random.nextInt(4), random.nextInt(3));
      case 13:
        return new ColumnPaginationFilter(1 + random.nextInt(4), qualifier());
      case 14:
        return new FirstKeyOnlyFilter();
      case 15:
        return new KeyOnlyFilter(random.nextBoolean());
      case 16:
        List<Long> timestamps = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          timestamps.add(1L + random.nextInt(Schema.TIMESTAMPS));
        }
        return new TimestampsFilter(timestamps, random.nextBoolean());
      case 17:
        return new PageFilter(1 + random.nextInt(4));
      case 18:
        List<MultiRowRangeFilter.RowRange> ranges = new ArrayList<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
          byte[] one = row();
          byte[] other = row();
          boolean ordered = org.apache.hadoop.hbase.util.Bytes.compareTo(one, other) <= 0;
          ranges.add(new MultiRowRangeFilter.RowRange(ordered ? one : other, random.nextBoolean(), ordered ? other : one, true));
        }
        return new MultiRowRangeFilter(ranges);
      case 19:
        if (reversed) { // HBase 2.6.1 may lose rows with a fuzzy filter then
          return new RowFilter(operator(), new BinaryComparator(row()));
        }
        byte[] key = Schema.bytes(prefix + "r0" + random.nextInt(10));
        byte[] mask = new byte[key.length];
        mask[key.length - 1 - random.nextInt(2)] = 1;
        return new FuzzyRowFilter(new ArrayList<>(List.of(new Pair<>(key, mask))));
      case 20:
        if (!get) { // in a scan of HBase it ends whole families
          return new ColumnPaginationFilter(1 + random.nextInt(5), 0);
        }
        return new ColumnCountGetFilter(1 + random.nextInt(5));
      default:
        return new ValueFilter(random.nextBoolean() ? CompareOperator.EQUAL : CompareOperator.NOT_EQUAL, new RegexStringComparator("v[1-" + (2 + random.nextInt(6)) + "]"));
    }
  }

  private CompareOperator operator() {
    return CompareOperator.values()[random.nextInt(6)];
  }

  private ByteArrayComparable comparator() {
    byte[] value = Schema.bytes("v" + random.nextInt(10));
    switch (random.nextInt(8)) {
      case 0:
        return new BinaryPrefixComparator(Schema.bytes(random.nextBoolean() ? "v" : "v1"));
      case 1:
        return new SubstringComparator("V" + random.nextInt(10));
      case 2:
        return new BitComparator(value, BitComparator.BitwiseOp.values()[random.nextInt(3)]);
      case 3:
        return new NullComparator();
      default:
        return new BinaryComparator(value);
    }
  }

  private byte[] row() {
    return Schema.bytes(prefix + "r0" + random.nextInt(Schema.ROWS));
  }

  private byte[] family() {
    return new byte[][] {Schema.ONE, Schema.THREE, Schema.MANY, Schema.KEPT}[random.nextInt(4)];
  }

  private byte[] qualifier() {
    return Schema.QUALIFIERS[random.nextInt(Schema.QUALIFIERS.length)];
  }
}
