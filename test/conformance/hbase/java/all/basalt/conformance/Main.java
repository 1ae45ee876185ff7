package basalt.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Runs the checks named on the command line against the server of hbase-site.xml: all through one connection, a few
 * groups at a time, since most of a group's time is waiting for tables to come and go.
 */
public final class Main {
  private static final int GROUPS_AT_ONCE = 4;
  private static final int GROUP_TIMEOUT_SECONDS = 240;

  private Main() {
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.setLong("hbase.client.pause", 20); // polls for the end of admin procedures with it
    conf.setInt("hbase.client.retries.number", 6);
    conf.setInt("hbase.rpc.timeout", 20_000);
    conf.setInt("hbase.client.operation.timeout", 40_000);

    Tally tally = new Tally();
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      ExecutorService pool = Executors.newFixedThreadPool(GROUPS_AT_ONCE);
      List<Future<?>> running = new ArrayList<>();
      for (String name : args) {
        Checks checks = (Checks) Class.forName(name).getDeclaredConstructor().newInstance();
        running.add(pool.submit(() -> checks.start(connection, tally)));
      }
      for (int i = 0; i < running.size(); i++) {
        try {
          running.get(i).get(GROUP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
          tally.fail(args[i].replaceAll(".*\\.", ""), "to end", String.valueOf(e));
        }
      }
      pool.shutdownNow();
    }
    System.out.println(tally.summary());
    System.out.flush();
    // Not the client's threads, should one hang, but the outcome ends the program.
    Runtime.getRuntime().halt(tally.failed() == 0 ? 0 : 1);
  }
}
