package basalt.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.filter.Filter;

/**
 * Random writes of one epoch. Everything is decided here; what comes out makes the requests anew for any row prefix.
 * In an epoch with flushes only the families that never hold a surplus version are written.
 */
final class Writes {
  private final Random random;
  private final boolean flushes;
  private final Map<String, Integer> clockWrites = new HashMap<>();

  Writes(Random random, boolean flushes) {
    this.random = random;
    this.flushes = flushes;
  }

  /** A part of a request: what it is, whether it takes the server's clock, and how it is made. */
  private static final class Made<T> {
    final Function<String, T> make;
    final boolean clock;

    Made(boolean clock, Function<String, T> make) {
      this.make = make;
      this.clock = clock;
    }
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private String row() {
    return "r0" + random.nextInt(Schema.ROWS);
  }

  private byte[] family() {
    byte[][] families = flushes ? new byte[][] {Schema.MANY, Schema.KEPT} : new byte[][] {Schema.ONE, Schema.THREE, Schema.MANY, Schema.KEPT};
    return families[random.nextInt(families.length)];
  }

  private byte[] roomyFamily() {
    return chance(70) ? Schema.MANY : Schema.KEPT;
  }

  private byte[] qualifier() {
    return Schema.QUALIFIERS[random.nextInt(Schema.QUALIFIERS.length)];
  }

  private long timestamp() {
    return 1 + random.nextInt(Schema.TIMESTAMPS);
  }

  private byte[] value() {
    int kind = random.nextInt(100);
    if (kind < 4) {
      return new byte[0];
    }
    if (kind < 7) {
      return Schema.bytes("L" + random.nextInt(10) + "x".repeat(2000 + random.nextInt(4000)));
    }
    return Schema.bytes("v" + random.nextInt(10));
  }

  /** Whether one more write with the server's clock may go to this column. */
  private boolean clockAllowed(String row, byte[] family, byte[] qualifier) {
    String column = row + "/" + Schema.text(family) + ":" + Schema.text(qualifier);
    boolean tight = family == Schema.ONE || family == Schema.THREE;
    return clockWrites.merge(column, 1, Integer::sum) <= (tight ? 2 : Schema.CLOCK_WRITES);
  }

  Op next() {
    int kind = random.nextInt(100);
    String row = row();
    if (kind < 34) {
      Made<Put> put = put(row, true);
      return op("put", put, (side, p) -> {
        side.table.put(put.make.apply(p));
        return "ok";
      });
    }
    if (kind < 52) {
      Made<Delete> delete = delete(row, true);
      return op("delete", delete, (side, p) -> {
        side.table.delete(delete.make.apply(p));
        return "ok";
      });
    }
    if (kind < 60) {
      Made<Increment> increment = increment(row);
      return op("increment", increment, (side, p) -> Show.result(side.table.increment(increment.make.apply(p)), p));
    }
    if (kind < 66) {
      Made<Append> append = append(row);
      return op("append", append, (side, p) -> Show.any(side.table.append(append.make.apply(p)), p));
    }
    if (kind < 82) {
      Made<CheckAndMutate> check = check(row);
      return new Op("check " + show(check.make.apply("")), check.clock, (side, p) -> Show.any(side.table.checkAndMutate(check.make.apply(p)), p));
    }
    if (kind < 88) {
      Made<RowMutations> mutations = rowMutations(row);
      return new Op("mutateRow " + show(mutations.make.apply("")), mutations.clock,
          (side, p) -> Show.any(side.table.mutateRow(mutations.make.apply(p)), p));
    }
    return batch();
  }

  private static <T> Op op(String name, Made<T> made, Op.Body body) {
    return new Op(name + " " + made.make.apply(""), made.clock, body);
  }

  private static String show(RowMutations mutations) {
    return mutations.getMutations().toString();
  }

  private static String show(CheckAndMutate check) {
    String condition = check.hasFilter() ? check.getFilter().toString()
        : Schema.text(check.getFamily()) + ":" + Schema.text(check.getQualifier()) + " " + check.getCompareOp() + " "
            + (check.getValue() == null ? "nothing" : Schema.text(check.getValue()));
    Row action = check.getAction();
    return "[if " + condition + " then " + (action instanceof RowMutations ? show((RowMutations) action) : action) + "]";
  }

  private static String show(List<Row> rows) {
    StringBuilder s = new StringBuilder();
    for (Row row : rows) {
      s.append(s.length() == 0 ? "" : "; ").append(row instanceof RowMutations ? show((RowMutations) row)
          : row instanceof CheckAndMutate ? show((CheckAndMutate) row) : row);
    }
    return s.toString();
  }

  private Made<Put> put(String row, boolean clockToo) {
    List<Function<Put, Put>> cells = new ArrayList<>();
    boolean clock = false;
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      byte[] family = chance(1) ? Schema.UNKNOWN : family();
      byte[] qualifier = qualifier();
      byte[] value = value();
      // The column without a name also has the markers of the family, over which the hint of a filter jumps from a newer
      // cell in HBase, unless they are flushed. So its cells are never newer.
      boolean nameless = qualifier.length == 0;
      if (clockToo && !nameless && chance(12) && clockAllowed(row, family, qualifier)) {
        clock = true;
        cells.add(put -> put.addColumn(family, qualifier, value));
      } else {
        long timestamp = nameless ? 1 : timestamp();
        cells.add(put -> put.addColumn(family, qualifier, timestamp, value));
      }
    }
    return new Made<>(clock, p -> {
      Put put = new Put(Schema.bytes(p + row));
      cells.forEach(cell -> cell.apply(put));
      return put;
    });
  }

  private Made<Delete> delete(String row, boolean clockToo) {
    long rowTimestamp = timestamp();
    if (chance(12)) {
      boolean now = clockToo && chance(25);
      return new Made<>(now, p -> now ? new Delete(Schema.bytes(p + row)) : new Delete(Schema.bytes(p + row), rowTimestamp));
    }
    List<Function<Delete, Delete>> parts = new ArrayList<>();
    boolean clock = false;
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      byte[] family = family();
      byte[] qualifier = qualifier();
      long timestamp = timestamp();
      boolean now = clockToo && chance(12);
      switch (random.nextInt(8)) {
        case 0:
          clock |= now;
          parts.add(now ? d -> d.addFamily(family) : d -> d.addFamily(family, timestamp));
          break;
        case 1:
          parts.add(d -> d.addFamilyVersion(family, timestamp));
          break;
        case 2:
        case 3:
          clock |= now;
          parts.add(now ? d -> d.addColumns(family, qualifier) : d -> d.addColumns(family, qualifier, timestamp));
          break;
        case 4:
        case 5:
          if (clockToo) { // of the newest version, or of now where there is none
            clock = true;
            parts.add(d -> d.addColumn(family, qualifier));
            break;
          }
          parts.add(d -> d.addColumn(family, qualifier, timestamp));
          break;
        default:
          parts.add(d -> d.addColumn(family, qualifier, timestamp));
      }
    }
    return new Made<>(clock, p -> {
      Delete delete = new Delete(Schema.bytes(p + row));
      parts.forEach(part -> part.apply(delete));
      return delete;
    });
  }

  private Made<Increment> increment(String row) {
    byte[] family = roomyFamily();
    byte[] qualifier = chance(3) ? Schema.TEXT : chance(70) ? Schema.COUNTER : Schema.COUNTER_2;
    if (!clockAllowed(row, family, qualifier)) {
      // One that fails writes nothing.
      return new Made<>(true, p -> new Increment(Schema.bytes(p + row)).addColumn(Schema.UNKNOWN, qualifier, 1));
    }
    long amount = random.nextInt(8) - 2;
    boolean both = chance(20) && clockAllowed(row, family, Schema.COUNTER_2);
    boolean quiet = chance(15);
    return new Made<>(true, p -> {
      Increment increment = new Increment(Schema.bytes(p + row)).addColumn(family, qualifier, amount);
      if (both) {
        increment.addColumn(family, Schema.COUNTER_2, 1);
      }
      return quiet ? increment.setReturnResults(false) : increment;
    });
  }

  private Made<Append> append(String row) {
    byte[] family = roomyFamily();
    byte[] value = Schema.bytes(Integer.toString(random.nextInt(10)));
    boolean quiet = chance(15);
    boolean allowed = clockAllowed(row, family, Schema.TEXT);
    return new Made<>(true, p -> {
      Append append = new Append(Schema.bytes(p + row)).addColumn(allowed ? family : Schema.UNKNOWN, Schema.TEXT, value);
      return quiet ? append.setReturnResults(false) : append;
    });
  }

  private Made<RowMutations> rowMutations(String row) {
    List<Made<? extends Mutation>> parts = new ArrayList<>();
    boolean clock = false;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      parts.add(chance(60) ? put(row, false) : delete(row, false));
    }
    if (chance(25)) {
      parts.add(increment(row));
      clock = true;
    }
    if (chance(15)) {
      parts.add(append(row));
      clock = true;
    }
    return new Made<>(clock, p -> {
      try {
        RowMutations mutations = new RowMutations(Schema.bytes(p + row));
        for (Made<? extends Mutation> part : parts) {
          mutations.add((Mutation) part.make.apply(p));
        }
        return mutations;
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    });
  }

  private Made<CheckAndMutate> check(String row) {
    byte[] family = family();
    byte[] qualifier = qualifier();
    byte[] value = chance(8) ? new byte[0] : Schema.bytes("v" + random.nextInt(10));
    CompareOperator operator = CompareOperator.values()[random.nextInt(6)];
    long filterSeed = random.nextLong();
    int condition = random.nextInt(10);
    Function<String, CheckAndMutate.Builder> when = p -> {
      CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(Schema.bytes(p + row));
      if (condition < 3) {
        return builder.ifNotExists(family, qualifier);
      }
      if (condition < 7) {
        return builder.ifMatches(family, qualifier, operator, value);
      }
      Filter filter = Filters.forGet(filterSeed, p);
      return builder.ifMatches(filter);
    };
    switch (random.nextInt(6)) {
      case 0:
      case 1:
        Made<Put> put = put(row, false);
        return new Made<>(true, p -> when.apply(p).build(put.make.apply(p)));
      case 2:
        Made<Delete> delete = delete(row, false);
        return new Made<>(true, p -> when.apply(p).build(delete.make.apply(p)));
      case 3:
        Made<Increment> increment = increment(row);
        return new Made<>(true, p -> when.apply(p).build(increment.make.apply(p)));
      case 4:
        Made<Append> append = append(row);
        return new Made<>(true, p -> when.apply(p).build(append.make.apply(p)));
      default:
        Made<RowMutations> mutations = rowMutations(row);
        return new Made<>(true, p -> when.apply(p).build(mutations.make.apply(p)));
    }
  }

  /** Several rows at once, with reads among them. No delete by the clock, which the batch shares with its increments. */
  private Op batch() {
    List<Made<? extends Row>> actions = new ArrayList<>();
    for (int i = 2 + random.nextInt(7); i > 0; i--) {
      String row = row();
      int kind = random.nextInt(100);
      if (kind < 40) {
        actions.add(put(row, false));
      } else if (kind < 55) {
        actions.add(delete(row, false));
      } else if (kind < 72) {
        actions.add(new Made<>(false, p -> new Get(Schema.bytes(p + row))));
      } else if (kind < 80) {
        actions.add(increment(row));
      } else if (kind < 86) {
        actions.add(append(row));
      } else if (kind < 93) {
        actions.add(rowMutations(row));
      } else {
        actions.add(check(row));
      }
    }
    return new Op("batch " + show(rows(actions, "")), true, (side, p) -> {
      List<Row> rows = rows(actions, p);
      Object[] results = new Object[rows.size()];
      try {
        side.table.batch(rows, results);
      } catch (IOException e) {
        // The results tell which of them failed, and how.
      }
      StringBuilder s = new StringBuilder();
      for (Object result : results) {
        s.append(s.length() == 0 ? "" : ", ").append(Show.any(result, p));
      }
      return s.toString();
    });
  }

  private static List<Row> rows(List<Made<? extends Row>> actions, String prefix) {
    List<Row> rows = new ArrayList<>();
    for (Made<? extends Row> action : actions) {
      rows.add(action.make.apply(prefix));
    }
    return rows;
  }
}
