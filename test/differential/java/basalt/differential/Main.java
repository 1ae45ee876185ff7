package basalt.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.client.Put;

/**
 * The same random operations on two servers, results compared.
 *
 * <p>Work goes in epochs of some hundred operations over rows of their own, and chapters of some epochs over a table of
 * their own. What HBase answers about surplus versions and deleted cells depends on whether it has flushed, so an epoch
 * is of one of two kinds: without any flush, where everything is written and read; or with flushes and major compactions,
 * where no column ever gets more versions than its family keeps and raw reads follow major compactions only.
 * To see that this holds, run it restless with the same HBase on both sides: then one of them flushes more often.
 */
public final class Main {
  private static final int EPOCH_OPS = 250;
  private static final int CHAPTER_EPOCHS = 4;
  private static final int REPLAYS = 60;
  private static final int LAST_OPS = 15;
  /** A plain IOException is the wrapping of an error inside of HBase, such as a null pointer. */
  private static final String ORACLE_FAULT = "!IOException";

  private final long seed;
  private final boolean restless;
  private final Side oracle;
  private final Side subject;
  private final String tables = "diff_" + Long.toString(System.nanoTime(), 36);
  private long lastEnd;
  private int replay;

  private Main(long seed, boolean restless, Side oracle, Side subject) {
    this.seed = seed;
    this.restless = restless;
    this.oracle = oracle;
    this.subject = subject;
  }

  public static void main(String[] args) throws Exception {
    if (args.length < 4) {
      System.err.println("usage: Main OPS SEED ORACLE SUBJECT [restless]");
      Runtime.getRuntime().halt(2);
    }
    int ops = Integer.parseInt(args[0]);
    long seed = Long.parseLong(args[1]);
    int status = 1;
    System.out.println("seed " + seed);
    try (Side oracle = new Side("oracle", args[2]); Side subject = new Side("subject", args[3])) {
      Main main = new Main(seed, args.length > 4, oracle, subject);
      try {
        int done = main.run(ops);
        boolean passed = done == ops;
        System.out.println(done + " passed, " + (passed ? 0 : 1) + " failed");
        status = passed ? 0 : 1;
      } finally {
        oracle.dropTable();
        subject.dropTable();
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(status);
  }

  /** Returns how many operations gave equal results; stops at the first difference. */
  private int run(int ops) throws Exception {
    int done = 0;
    for (int epoch = 0; done < ops; epoch++) {
      if (epoch % CHAPTER_EPOCHS == 0) {
        newTables(epoch);
      }
      Random random = new Random(seed * 1_000_003L + epoch);
      boolean flushes = epoch % 2 == 1;
      int size = Math.min(EPOCH_OPS, ops - done);
      int same = epoch(random, flushes, prefix(epoch), size, "epoch " + epoch + (flushes ? ", with flushes" : ", without flush"));
      done += same;
      if (same < size) {
        return done;
      }
    }
    return done;
  }

  private static String prefix(int epoch) {
    return String.format("e%06d/", epoch);
  }

  /** One region border in the middle of each epoch's rows. */
  private void newTables(int epoch) throws IOException {
    List<String> splits = new ArrayList<>();
    for (int i = 0; i < CHAPTER_EPOCHS; i++) {
      splits.add(prefix(epoch + i) + "r06");
    }
    oracle.newTable(tables + "_oracle_" + epoch, splits);
    subject.newTable(tables + "_subject_" + epoch, splits);
  }

  private int epoch(Random random, boolean flushes, String prefix, int size, String title) throws Exception {
    Writes writes = new Writes(random, flushes);
    Reads reads = new Reads(random, !flushes);
    Random own = new Random(random.nextLong());
    List<Op> history = new ArrayList<>();
    if (flushes) {
      // Of the markers of deleted cells that are kept, a major compaction drops those that are older than every put: of
      // the store in HBase, of the row in Basalt. So each row gets an oldest put.
      Op oldest = new Op("put the oldest cell of each row", false, (side, p) -> {
        for (int row = 0; row < Schema.ROWS; row++) {
          side.table.put(new Put(Schema.bytes(p + "r0" + row)).addColumn(Schema.KEPT, Schema.bytes("z"), 0, Schema.bytes("oldest")));
        }
        return "ok";
      });
      history.add(oldest);
      both(oldest, prefix);
    }
    for (int i = 0; i < size; i++) {
      Op op;
      int kind = random.nextInt(1000);
      if (flushes && kind < 20) {
        op = new Op("flush", false, (side, p) -> {
          side.flush(p);
          return "ok";
        });
      } else if (flushes && kind < 27) {
        op = new Op("major compaction", false, (side, p) -> {
          side.majorCompact(p);
          return side.raw(p);
        });
      } else {
        op = kind < 480 ? writes.next() : reads.next();
      }
      if (restless && flushes && own.nextInt(25) == 0) {
        Op flush = new Op("flush of the subject alone", false, (side, p) -> {
          if (side == subject) {
            side.flush(p);
          }
          return "ok";
        });
        history.add(flush);
        both(flush, prefix);
      }
      history.add(op);
      String[] outcomes = both(op, prefix);
      if (outcomes[0].contains(ORACLE_FAULT)) {
        // HBase's answer to what it trips over is nothing to follow. Where it was a write, the two have parted now.
        if (op.reads()) {
          continue;
        }
        return size;
      }
      if (!outcomes[0].equals(outcomes[1])) {
        report(title, history, outcomes);
        return i;
      }
    }
    return size;
  }

  private String[] both(Op op, String prefix) throws InterruptedException {
    if (op.clock) {
      while (System.currentTimeMillis() <= lastEnd + 1) {
        Thread.sleep(1);
      }
    }
    String[] outcomes = {op.run(oracle, prefix), op.run(subject, prefix)};
    lastEnd = System.currentTimeMillis();
    return outcomes;
  }

  private void report(String title, List<Op> history, String[] outcomes) throws Exception {
    int last = history.size() - 1;
    System.out.println("DIFFERENCE at operation " + last + " of " + title + ", seed " + seed);
    System.out.println("  operation: " + history.get(last).text);
    System.out.println("  oracle:  " + cut(outcomes[0]));
    System.out.println("  subject: " + cut(outcomes[1]));
    List<Op> shrunk = differs(history) == null ? null : shrink(history);
    if (shrunk == null) {
      System.out.println("It does not come again when replayed. The last operations were:");
      shrunk = history.subList(Math.max(0, history.size() - LAST_OPS), history.size());
    } else {
      System.out.println("Shrunk to " + shrunk.size() + " operations:");
    }
    for (Op op : shrunk) {
      System.out.println("  " + cut(op.text));
    }
    String[] again = differs(shrunk);
    if (again != null) {
      System.out.println("  oracle:  " + cut(again[0]));
      System.out.println("  subject: " + cut(again[1]));
    }
  }

  private static String cut(String s) {
    s = s.replaceAll("x{50,}", "x...");
    return s.length() > 3000 ? s.substring(0, 3000) + "..." : s;
  }

  /** Runs them over a new table; returns the outcomes of the last one if these differ. */
  private String[] differs(List<Op> ops) throws IOException, InterruptedException {
    String prefix = prefix(replay++);
    oracle.newTable(tables + "_oracle_again_" + replay, List.of(prefix + "r06"));
    subject.newTable(tables + "_subject_again_" + replay, List.of(prefix + "r06"));
    String[] outcomes = null;
    for (Op op : ops) {
      outcomes = both(op, prefix);
    }
    return outcomes == null || outcomes[0].equals(outcomes[1]) ? null : outcomes;
  }

  /** Leaves out what is not needed for the last operation to differ, large pieces first. */
  private List<Op> shrink(List<Op> history) throws IOException, InterruptedException {
    List<Op> ops = new ArrayList<>(history);
    for (int piece = ops.size() / 2; piece >= 1; piece /= 2) {
      for (int from = ops.size() - 1 - piece; from >= 0 && replay < REPLAYS; from -= piece) {
        List<Op> fewer = new ArrayList<>(ops.subList(0, from));
        fewer.addAll(ops.subList(from + piece, ops.size()));
        if (differs(fewer) != null) {
          ops = fewer;
        }
      }
    }
    return ops;
  }
}
