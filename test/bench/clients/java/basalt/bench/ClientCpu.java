package basalt.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** What the Go program beside it measures, with the stock client: OP ROWS VALUE_BYTES THREADS WARM_SECONDS SECONDS. */
public final class ClientCpu {
  private static final TableName TABLE = TableName.valueOf("clients");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");

  private final LongAdder operations = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final AtomicBoolean stop = new AtomicBoolean();

  private ClientCpu() {
  }

  public static void main(String[] args) throws Exception {
    new ClientCpu().run(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]),
        Integer.parseInt(args[4]), Integer.parseInt(args[5]));
    Runtime.getRuntime().halt(0);
  }

  private void run(String op, int rows, int valueBytes, int threads, int warm, int seconds) throws Exception {
    OperatingSystemMXBean os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create())) {
      List<Thread> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        Thread thread = new Thread(() -> call(connection, op, rows, valueBytes, number, rows / threads));
        thread.start();
        running.add(thread);
      }
      Thread.sleep(warm * 1000L);
      long n = operations.sum();
      long size = bytes.sum();
      long cpu = os.getProcessCpuTime();
      long start = System.nanoTime();
      Thread.sleep(seconds * 1000L);
      n = operations.sum() - n;
      size = bytes.sum() - size;
      double took = (System.nanoTime() - start) / 1e9;
      double used = (os.getProcessCpuTime() - cpu) / 1e3;
      stop.set(true);
      for (Thread thread : running) {
        thread.join();
      }
      String unit = op.equals("scan") ? "row" : "op";
      System.out.printf(Locale.ROOT, "%-14s %-19s %8.0f %ss/s %7.1f MB/s  client CPU %6.2f us/%s%n", "java", op, n / took, unit,
          size / took / 1e6, used / Math.max(n, 1), unit);
    }
  }

  private void call(Connection connection, String op, int rows, int valueBytes, int number, int part) {
    Random random = new Random(number);
    byte[] value = new byte[valueBytes];
    random.nextBytes(value);
    try (Table table = connection.getTable(TABLE)) {
      while (!stop.get()) {
        byte[] row = row(op.equals("scan") ? number * part : random.nextInt(rows));
        switch (op) {
          case "get":
            count(table.get(new Get(row)));
            break;
          case "put":
            table.put(new Put(row).addColumn(FAMILY, QUALIFIER, value));
            operations.increment();
            bytes.add(valueBytes);
            break;
          default:
            try (ResultScanner scanner = table.getScanner(new Scan().withStartRow(row))) {
              for (int i = 0; i < part; i++) {
                count(scanner.next());
              }
            }
        }
      }
    } catch (Exception e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format("%012d", i));
  }

  private void count(Result result) {
    operations.increment();
    bytes.add(result.getValue(FAMILY, QUALIFIER).length);
  }
}
