package basalt.tools;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.PerformanceEvaluation;
import org.apache.hadoop.hbase.util.LoadTestTool;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Stock PerformanceEvaluation and LoadTestTool, run one after the other in one JVM as their own main methods run them,
 * with a look at what they left behind in between.
 *
 * <p>The steps come from the standard input, one a line: {@code NAME: VERB ARGUMENTS}.
 *
 * <pre>
 * pe ARGS                     PerformanceEvaluation succeeds
 * load ARGS                   LoadTestTool succeeds
 * rows TABLE MIN MAX CELLS    the table has MIN to MAX rows of CELLS cells each; CELLS may be any
 * sum TABLE COLUMN N          the counters of this column add up to N
 * bytes TABLE COLUMN N        the values of this column are N bytes long in all
 * </pre>
 */
public final class Main {
  private static final int STEP_SECONDS = Integer.getInteger("step.seconds", 120);

  private final Configuration conf = HBaseConfiguration.create();
  private final ExecutorService steps = Executors.newCachedThreadPool(run -> {
    Thread thread = new Thread(run, "step");
    thread.setDaemon(true);
    return thread;
  });

  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    Main main = new Main();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int passed = 0;
    int failed = 0;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.isBlank()) {
        continue;
      }
      int colon = line.indexOf(": ");
      String name = line.substring(0, colon);
      long start = System.nanoTime();
      String wrong = main.step(Arrays.asList(line.substring(colon + 2).trim().split(" +")));
      String time = String.format("(%.1fs)", (System.nanoTime() - start) / 1e9);
      if (wrong == null) {
        passed++;
        out.println("ok   " + name + " " + time);
      } else {
        failed++;
        out.println("FAIL " + name + ": " + wrong + " " + time);
      }
    }
    out.println(passed + " passed, " + failed + " failed");
    // A tool that was given up on may still hold threads.
    Runtime.getRuntime().halt(failed == 0 ? 0 : 1);
  }

  /** Runs a step and returns what was wrong, or null. */
  private String step(List<String> words) throws InterruptedException {
    List<String> args = words.subList(1, words.size());
    Future<String> result = steps.submit(() -> {
      switch (words.get(0)) {
        case "pe":
          return tool(new PerformanceEvaluation(new Configuration(conf)), args);
        case "load":
          return tool(new LoadTestTool(), args);
        case "rows":
          return Look.rows(conf, args.get(0), Long.parseLong(args.get(1)), Long.parseLong(args.get(2)), args.get(3));
        case "sum":
          return Look.sum(conf, args.get(0), args.get(1), Long.parseLong(args.get(2)));
        case "bytes":
          return Look.bytes(conf, args.get(0), args.get(1), Long.parseLong(args.get(2)));
        default:
          throw new IllegalArgumentException("unknown verb in " + words);
      }
    });
    try {
      return result.get(STEP_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      result.cancel(true);
      return "not done after " + STEP_SECONDS + " s";
    } catch (ExecutionException e) {
      e.getCause().printStackTrace();
      return e.getCause().toString();
    }
  }

  private String tool(Tool tool, List<String> args) throws Exception {
    int status = ToolRunner.run(new Configuration(conf), tool, args.toArray(new String[0]));
    return status == 0 ? null : "exit status " + status;
  }
}
