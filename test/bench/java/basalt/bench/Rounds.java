package basalt.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.PerformanceEvaluation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.util.ToolRunner;

/**
 * Rounds of stock PerformanceEvaluation commands in one JVM, so that the client is warm too, with the CPU time that the
 * server takes for each: {@code Rounds PID ROUNDS} and on the standard input one line for each command,
 * {@code NAME OPS read|write PE_ARGUMENTS}.
 *
 * <p>After a write the table is flushed, and what the server then does by itself until it is quiet counts as well.
 * Prints {@code NAME ROUND CPU_US OPS_PER_SECOND} with tabs; the rounds count from 0, the one that only warms up.
 */
public final class Rounds {
  private static final double QUIET = 0.08; // of one processor
  private static final int QUIET_SECONDS = 90;

  private final Path stat;
  private final Configuration conf = HBaseConfiguration.create();

  private Rounds(String pid) {
    stat = Path.of("/proc", pid, "stat");
  }

  public static void main(String[] args) throws Exception {
    Rounds rounds = new Rounds(args[0]);
    List<String[]> commands = new ArrayList<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      commands.add(line.trim().split(" +"));
    }
    for (int round = 0; round <= Integer.parseInt(args[1]); round++) {
      for (String[] command : commands) {
        rounds.run(command, round);
      }
    }
    System.exit(0);
  }

  private void run(String[] command, int round) throws Exception {
    long ops = Long.parseLong(command[1]);
    boolean writes = command[2].equals("write");
    settle();
    double used = cpuSeconds();
    long start = System.nanoTime();
    int status = ToolRunner.run(
        new Configuration(conf), new PerformanceEvaluation(new Configuration(conf)), Arrays.copyOfRange(command, 3, command.length));
    double seconds = (System.nanoTime() - start) / 1e9;
    if (status != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + status);
    }
    if (writes) {
      try (Connection connection = ConnectionFactory.createConnection(conf);
          Admin admin = connection.getAdmin()) {
        admin.flush(TableName.valueOf("TestTable"));
      }
      settle();
    }
    used = cpuSeconds() - used;
    System.out.printf("%s\t%d\t%.2f\t%.0f%n", command[0], round, used * 1e6 / ops, ops / seconds);
  }

  /** Waits until the server does nothing any more. */
  private void settle() throws Exception {
    double before = cpuSeconds();
    for (int i = 0; i < QUIET_SECONDS; i++) {
      Thread.sleep(1000);
      double now = cpuSeconds();
      if (now - before < QUIET) {
        return;
      }
      before = now;
    }
  }

  private double cpuSeconds() throws IOException {
    String text = Files.readString(stat);
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
  }
}
