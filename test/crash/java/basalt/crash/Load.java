package basalt.crash;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Writers, readers and counters that go on while their server is killed and started again. Everything that the server
 * acknowledged or showed is a line in a log before the next request goes out:
 *
 * <pre>
 * put ROW              acknowledged row, both of its cells
 * hot ROW N            acknowledged value of a row that is written again and again, always with the next number
 * shown ROW            a reader was shown this row
 * shown-hot ROW N      a reader was shown this value
 * count ROW N          acknowledged increment, and the value that it returned
 * lost-count ROW       an increment that failed for good: it may have been counted, once
 * token ROW T          acknowledged append of this token
 * lost-token ROW T     an append that failed for good: the token may be there, once
 * </pre>
 *
 * <p>A file named status tells the fewest operations that any thread has done; a file named stop ends the program.
 */
public final class Load {
  static final byte[] F = Bytes.toBytes("f");
  static final byte[] G = Bytes.toBytes("g");
  static final byte[] A = Bytes.toBytes("a");
  private static final int KINDS = 5;
  private static final int THREADS_OF_A_KIND = 2;

  private final Path folder;
  private final TableName name;
  private final AtomicLongArray done = new AtomicLongArray(KINDS * THREADS_OF_A_KIND);
  private final AtomicLong[] writing = new AtomicLong[THREADS_OF_A_KIND];
  private volatile boolean stopping;
  private Connection connection;

  private Load(Path folder, TableName name) {
    this.folder = folder;
    this.name = name;
    for (int i = 0; i < writing.length; i++) {
      writing[i] = new AtomicLong(-1);
    }
  }

  public static void main(String[] args) throws Exception {
    new Load(Path.of(args[0]), TableName.valueOf(args[1])).run();
    Runtime.getRuntime().halt(0);
  }

  /** Retries for longer than any restart takes; nonces are on by default. */
  static Configuration configuration() {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hbase.client.retries.number", 100);
    conf.setLong("hbase.client.pause", 30);
    conf.setInt("hbase.rpc.timeout", 5_000);
    conf.setInt("hbase.client.operation.timeout", 60_000);
    conf.setInt("hbase.client.meta.operation.timeout", 60_000);
    return conf;
  }

  private void run() throws Exception {
    connection = ConnectionFactory.createConnection(configuration());
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g")).build(), new byte[][] {Bytes.toBytes("h"), Bytes.toBytes("t")});
    }
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS_OF_A_KIND; i++) {
      int n = i;
      threads.add(start(threads.size(), "put" + n, (table, log, step) -> put(table, log, n, step)));
      threads.add(start(threads.size(), "hot" + n, (table, log, step) -> hot(table, log, n, step)));
      threads.add(start(threads.size(), "read" + n, (table, log, step) -> read(table, log, step)));
      threads.add(start(threads.size(), "count" + n, (table, log, step) -> count(table, log, n)));
      threads.add(start(threads.size(), "append" + n, (table, log, step) -> append(table, log, n, step)));
    }
    Thread flusher = new Thread(this::flush);
    flusher.setDaemon(true);
    flusher.start();
    while (!Files.exists(folder.resolve("stop"))) {
      status();
      Thread.sleep(50);
    }
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void status() throws IOException {
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < done.length(); i++) {
      fewest = Math.min(fewest, done.get(i));
    }
    Path next = folder.resolve("status.next");
    Files.writeString(next, fewest + "\n");
    Files.move(next, folder.resolve("status"), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }

  private interface Step {
    void run(Table table, BufferedWriter log, long step) throws IOException;
  }

  private Thread start(int index, String title, Step step) {
    Thread thread = new Thread(() -> {
      try (Table table = connection.getTable(name);
          BufferedWriter log = Files.newBufferedWriter(folder.resolve(title + ".log"), StandardCharsets.UTF_8)) {
        for (long i = 0; !stopping; i++) {
          step.run(table, log, i);
          log.flush();
          done.incrementAndGet(index);
        }
      } catch (IOException e) {
        // A put or read has no business to fail: the client retries for a minute.
        e.printStackTrace();
        System.out.println("FAIL " + title + ": " + e);
        System.out.flush();
        Runtime.getRuntime().halt(1);
      }
    }, title);
    thread.start();
    return thread;
  }

  static String putRow(int n, long step) {
    // Over all three regions.
    return "akz".charAt((int) (step % 3)) + "-put" + n + "-" + step;
  }

  private void put(Table table, BufferedWriter log, int n, long step) throws IOException {
    String row = putRow(n, step);
    writing[n].set(step);
    table.put(new Put(Bytes.toBytes(row)).addColumn(F, A, Bytes.toBytes("f" + step)).addColumn(G, A, Bytes.toBytes("g" + step)));
    log.write("put " + row + "\n");
  }

  private void hot(Table table, BufferedWriter log, int n, long step) throws IOException {
    String row = "hot" + n;
    table.put(new Put(Bytes.toBytes(row)).addColumn(F, A, Bytes.toBytes(step)));
    log.write("hot " + row + " " + step + "\n");
  }

  /** Reads what is being written just now, most of it not acknowledged yet. */
  private void read(Table table, BufferedWriter log, long step) throws IOException {
    int n = (int) (step % THREADS_OF_A_KIND);
    Result hot = table.get(new Get(Bytes.toBytes("hot" + n)));
    if (!hot.isEmpty()) {
      log.write("shown-hot hot" + n + " " + Bytes.toLong(hot.value()) + "\n");
    }
    long newest = writing[n].get();
    if (newest < 0) {
      return;
    }
    String row = putRow(n, newest);
    Result put = table.get(new Get(Bytes.toBytes(row)));
    if (!put.isEmpty()) {
      if (put.size() != 2) {
        log.write("torn " + row + "\n");
      }
      log.write("shown " + row + "\n");
    }
  }

  private void count(Table table, BufferedWriter log, int n) throws IOException {
    String row = "count" + n;
    try {
      Result result = table.increment(new Increment(Bytes.toBytes(row)).addColumn(F, A, 1));
      log.write("count " + row + " " + Bytes.toLong(result.value()) + "\n");
    } catch (IOException e) {
      log.write("lost-count " + row + "\n");
    }
  }

  private void append(Table table, BufferedWriter log, int n, long step) throws IOException {
    String row = "text" + n;
    String token = "<" + step + ">";
    try {
      table.append(new Append(Bytes.toBytes(row + "-" + step / 500)).addColumn(F, A, Bytes.toBytes(token)));
      log.write("token " + row + "-" + step / 500 + " " + token + "\n");
    } catch (IOException e) {
      log.write("lost-token " + row + "-" + step / 500 + " " + token + "\n");
    }
  }

  /** Moves data from memory to files now and then, so that kills meet both. */
  private void flush() {
    Random random = new Random();
    while (!stopping) {
      try (Admin admin = connection.getAdmin()) {
        Thread.sleep(300 + random.nextInt(1500));
        admin.flush(name);
      } catch (IOException e) {
        // The server is down: later again.
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
