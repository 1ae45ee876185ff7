package basalt.conformance;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Scans that the client reads ahead of their consumer. The 2.2 client's own thread may trip over itself there. */
public final class PrefetchChecks extends Checks {
  @Override
  void run() throws Exception {
    Table table = create("t", "r03", "r70");
    List<Put> puts = new ArrayList<>();
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      puts.add(put(String.format("r%02d", i), "f:a@1=" + i));
      rows.append(i == 0 ? "" : " ").append(String.format("r%02d", i));
    }
    table.put(puts);
    for (int caching : new int[] {1, 3, 1000}) {
      check("caching " + caching, rows, Show.keys(connection, table, new Scan().setAsyncPrefetch(true).setCaching(caching)));
    }
    check("small results", rows, Show.keys(connection, table, new Scan().setAsyncPrefetch(true).setMaxResultSize(100)));
    check("limit", "r00 r01 r02 r03 r04", Show.keys(connection, table, new Scan().setAsyncPrefetch(true).setLimit(5).setCaching(2)));
  }
}
