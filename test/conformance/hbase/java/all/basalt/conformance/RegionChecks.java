package basalt.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Where regions are, splitting and merging them under traffic, flush and compaction. */
public final class RegionChecks extends Checks {
  @Override
  void run() throws Exception {
    part("locate", this::locate);
    part("split", this::split);
    part("merge", this::merge);
    part("flush and compact", this::flushAndCompact);
    part("requests", this::requests);
  }

  private void requests() throws Exception {
    Table table = create("requests", "m");
    for (int i = 0; i < 5; i++) {
      table.put(put("a" + i, "f:a@1=1"));
    }
    table.get(new Get(b("a1")));
    table.get(new Get(b("a2")));
    String counted = "";
    for (int i = 0; i < 100 && !counted.equals("5 2 0 0"); i++) { // a real server reports now and then
      Thread.sleep(100);
      StringBuilder now = new StringBuilder();
      for (ServerName server : admin.getClusterMetrics().getLiveServerMetrics().keySet()) {
        for (RegionMetrics region : admin.getRegionMetrics(server, table.getName())) {
          now.append(now.length() == 0 ? "" : " ").append(region.getWriteRequestCount()).append(' ').append(region.getReadRequestCount());
        }
      }
      counted = now.toString();
    }
    check("of each region, writes and reads", "5 2 0 0", counted);
  }

  private void locate() throws Exception {
    Table table = create("locate", "g", "n\\x00\\xFF", "t");
    try (RegionLocator locator = connection.getRegionLocator(table.getName())) {
      check("start keys", "'' 'g' 'n\\x00\\xFF' 't'", keys(locator.getStartKeys()));
      check("end keys", "'g' 'n\\x00\\xFF' 't' ''", keys(locator.getEndKeys()));
      HRegionLocation location = locator.getRegionLocation(b("h"));
      check("region of a row", "g n\\x00\\xFF true", Bytes.toStringBinary(location.getRegion().getStartKey()) + " "
          + Bytes.toStringBinary(location.getRegion().getEndKey()) + " " + (location.getServerName().getPort() > 0));
      check("region of a border", "g", Bytes.toString(locator.getRegionLocation(b("g"), true).getRegion().getStartKey()));
      check("all locations", 4, locator.getAllRegionLocations().size());
      check("of one server", 1, locator.getAllRegionLocations().stream().map(HRegionLocation::getServerName).distinct().count());
      check("the admin knows the same", true, admin.getRegions(location.getServerName()).contains(location.getRegion()));
    }
  }

  private static String keys(byte[][] keys) {
    List<String> shown = new ArrayList<>();
    for (byte[] key : keys) {
      shown.add("'" + Bytes.toStringBinary(key) + "'");
    }
    return String.join(" ", shown);
  }

  private void split() throws Exception {
    Table table = create("split");
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      puts.add(put(String.format("r%02d", i), "f:a@1=" + i));
    }
    table.put(puts);
    RegionInfo whole = admin.getRegions(table.getName()).get(0);
    List<String> seen = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(7))) {
      for (int i = 0; i < 10; i++) {
        seen.add(Bytes.toString(scanner.next().getRow()));
      }
      admin.splitRegionAsync(whole.getRegionName(), b("r50")).get(60, TimeUnit.SECONDS);
      for (Result result; (result = scanner.next()) != null;) {
        seen.add(Bytes.toString(result.getRow()));
      }
    }
    check("a scan over a split sees each row once", "100 r00 r99", seen.stream().distinct().count() + " " + seen.get(0) + " "
        + seen.get(seen.size() - 1));
    List<RegionInfo> halves = admin.getRegions(table.getName());
    check("two regions", "2 r50", halves.size() + " " + Bytes.toString(halves.get(1).getStartKey()));
    check("rows of both", "r49[f:a@1=49] r50[f:a@1=50]", Show.scan(table, new Scan().withStartRow(b("r49")).withStopRow(b("r51"))));
    table.put(put("r50", "f:b@1=new"));
    check("writes find the new region", "r50[f:a@1=50 f:b@1=new]", Show.result(table.get(new Get(b("r50")))));
    check("reversed over both", "r51 r50 r49", Show.keys(connection, table, new Scan().withStartRow(b("r51")).setReversed(true).setLimit(3)));
    fails("split at a region's start", "", () -> admin.splitRegionAsync(halves.get(1).getRegionName(), b("r50")).get(60, TimeUnit.SECONDS));
  }

  /** Regions that were never split: a real HBase merges halves only once they are compacted and their old files gone. */
  private void merge() throws Exception {
    Table table = create("merge", "h", "p");
    table.put(List.of(put("a", "f:a@1=1"), put("h", "f:a@1=2"), put("p", "f:a@1=3"), put("z", "f:a@1=4")));
    List<RegionInfo> regions = admin.getRegions(table.getName());
    admin.mergeRegionsAsync(new byte[][] {regions.get(0).getEncodedNameAsBytes(), regions.get(1).getEncodedNameAsBytes()}, false)
        .get(60, TimeUnit.SECONDS);
    List<RegionInfo> merged = admin.getRegions(table.getName());
    check("merged", "2 p", merged.size() + " " + Bytes.toString(merged.get(1).getStartKey()));
    check("rows after the merge", "a h p z", Show.keys(connection, table, new Scan()));
    table.put(put("h", "f:b@1=merged"));
    check("writes after the merge", "h[f:a@1=2 f:b@1=merged]", Show.result(table.get(new Get(b("h")))));
  }

  /** Any exception will do: which one depends on the version of client and server. */
  private void fails(String name, String text, Body body) {
    try {
      body.run();
      check(name, "an exception", "none" + text);
    } catch (Exception e) {
      check(name, "an exception", "an exception");
    }
  }

  private void flushAndCompact() throws Exception {
    Table table = create("compact", "m");
    table.put(put("r1", "f:a@1=1", "f:a@2=2", "g:a@1=1"));
    table.delete(new Delete(b("r1")).addColumns(F, A, 1));
    table.increment(new Increment(b("r2")).addColumn(F, A, 4));
    table.append(new Append(b("z")).addColumn(F, A, b("x")));
    String before = Show.scan(table, new Scan().readAllVersions());
    check("before", "r1[f:a@2=2 g:a@1=1] r2[f:a=4] z[f:a=x]", before);
    admin.flush(table.getName());
    check("flush changes nothing", before, Show.scan(table, new Scan().readAllVersions()));
    table.put(put("r1", "f:a@3=3"));
    admin.flush(table.getName());
    admin.compact(table.getName());
    check("compaction changes nothing", "r1[f:a@3=3 f:a@2=2 g:a@1=1] r2[f:a=4] z[f:a=x]", Show.scan(table, new Scan().readAllVersions()));
    admin.majorCompact(table.getName());
    String raw = "";
    for (int i = 0; i < 200; i++) {
      raw = Show.scan(table, new Scan().setRaw(true).readAllVersions());
      if (!raw.contains("#") && admin.getCompactionState(table.getName()) == CompactionState.NONE) {
        break;
      }
      Thread.sleep(50);
    }
    check("major compaction drops markers and what they hide", "r1[f:a@3=3 f:a@2=2 g:a@1=1] r2[f:a=4] z[f:a=x]", raw);
    table.put(put("r1", "f:a@1=shows"));
    check("a put under the dropped marker shows", "r1[f:a@3=3 f:a@2=2 f:a@1=shows g:a@1=1]",
        Show.result(table.get(new Get(b("r1")).readAllVersions())));
    admin.flushRegion(admin.getRegions(table.getName()).get(0).getRegionName());
    admin.compactRegion(admin.getRegions(table.getName()).get(0).getRegionName());
    check("after a region's flush", "r2[f:a=4]", Show.result(table.get(new Get(b("r2")))));
  }
}
