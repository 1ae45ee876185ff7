package basalt.crash;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Compares the logs of Load with what the server has in the end. */
public final class Verify {
  private final Map<String, Set<String>> rows = new HashMap<>();
  private final Map<String, Long> highest = new HashMap<>();
  private final Map<String, List<Long>> counts = new HashMap<>();
  private final Map<String, Integer> lost = new HashMap<>();
  private final Map<String, List<String>> tokens = new HashMap<>();
  private final Set<String> lostTokens = new HashSet<>();
  private int passed;
  private int failed;

  private Verify() {
  }

  public static void main(String[] args) throws Exception {
    Verify verify = new Verify();
    verify.load(Path.of(args[0]));
    try (Connection connection = ConnectionFactory.createConnection(Load.configuration());
        Table table = connection.getTable(TableName.valueOf(args[1]))) {
      verify.run(table);
    }
    System.out.println(verify.passed + " passed, " + verify.failed + " failed");
    System.out.flush();
    Runtime.getRuntime().halt(verify.failed == 0 ? 0 : 1);
  }

  private void load(Path folder) throws IOException {
    for (String kind : new String[] {"put", "shown", "torn"}) {
      rows.put(kind, new LinkedHashSet<>());
    }
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(folder, "*.log")) {
      for (Path log : logs) {
        for (String line : Files.readAllLines(log)) {
          String[] words = line.split(" ");
          switch (words[0]) {
            case "put":
            case "shown":
            case "torn":
              rows.get(words[0]).add(words[1]);
              break;
            case "hot":
            case "shown-hot":
              highest.merge(words[0] + " " + words[1], Long.parseLong(words[2]), Math::max);
              break;
            case "count":
              counts.computeIfAbsent(words[1], k -> new ArrayList<>()).add(Long.parseLong(words[2]));
              break;
            case "lost-count":
              lost.merge(words[1], 1, Integer::sum);
              break;
            case "token":
              tokens.computeIfAbsent(words[1], k -> new ArrayList<>()).add(words[2]);
              break;
            case "lost-token":
              lostTokens.add(words[1] + words[2]);
              break;
            default:
              throw new IOException("unknown line in " + log + ": " + line);
          }
        }
      }
    }
  }

  private void check(String name, boolean ok, String details) {
    if (ok) {
      passed++;
      System.out.println("ok " + name);
    } else {
      failed++;
      System.out.println("FAIL " + name + ": " + details);
    }
  }

  private void run(Table table) throws IOException {
    Set<String> there = new HashSet<>();
    List<String> half = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        String row = Bytes.toString(result.getRow());
        if (row.contains("-put")) {
          there.add(row);
          String step = row.substring(row.lastIndexOf('-') + 1);
          if (result.size() != 2 || !("f" + step).equals(Bytes.toString(result.getValue(Load.F, Load.A)))
              || !("g" + step).equals(Bytes.toString(result.getValue(Load.G, Load.A)))) {
            half.add(row);
          }
        }
      }
    }
    missing("all acknowledged rows are there", rows.get("put"), there);
    missing("all rows that were shown are there", rows.get("shown"), there);
    check("every row has both of its cells", half.isEmpty(), half.toString());
    check("no reader saw half a row", rows.get("torn").isEmpty(), rows.get("torn").toString());
    for (Map.Entry<String, Long> hot : highest.entrySet()) {
      Result result = table.get(new Get(Bytes.toBytes(hot.getKey().split(" ")[1])));
      long value = result.isEmpty() ? -1 : Bytes.toLong(result.value());
      check(hot.getKey() + " of " + hot.getValue() + " is not undone", value >= hot.getValue(), "it is " + value);
    }
    for (Map.Entry<String, List<Long>> count : counts.entrySet()) {
      List<Long> values = count.getValue();
      int unknown = lost.getOrDefault(count.getKey(), 0);
      long value = Bytes.toLong(table.get(new Get(Bytes.toBytes(count.getKey()))).value());
      check(values.size() + " increments of " + count.getKey() + " counted once each",
          value >= values.size() && value <= values.size() + unknown, "it is " + value + ", with " + unknown + " unknown");
      List<String> jumps = new ArrayList<>();
      for (int i = 1; i < values.size(); i++) {
        if (values.get(i) <= values.get(i - 1) || unknown == 0 && values.get(i) != values.get(i - 1) + 1) {
          jumps.add(values.get(i - 1) + " to " + values.get(i));
        }
      }
      check("the answers of " + count.getKey() + " go up by one", jumps.isEmpty(), jumps.toString());
    }
    for (Map.Entry<String, List<String>> row : tokens.entrySet()) {
      String text = Bytes.toString(table.get(new Get(Bytes.toBytes(row.getKey()))).value());
      StringBuilder expected = new StringBuilder();
      row.getValue().forEach(expected::append);
      for (String token : lostTokens) {
        if (token.startsWith(row.getKey() + "<")) {
          text = text.replaceFirst(token.substring(row.getKey().length()), "");
          int at = expected.indexOf(token.substring(row.getKey().length()));
          if (at >= 0) {
            expected.delete(at, at + token.length() - row.getKey().length());
          }
        }
      }
      check("appends to " + row.getKey() + " are there once each", expected.toString().equals(text), "expected " + expected + " got " + text);
    }
  }

  private void missing(String name, Set<String> expected, Set<String> there) {
    List<String> missing = new ArrayList<>();
    for (String row : expected) {
      if (!there.contains(row)) {
        missing.add(row);
      }
    }
    check(name + " (" + expected.size() + ")", missing.isEmpty(), missing.size() + " are not: " + missing.subList(0, Math.min(10, missing.size())));
  }
}
