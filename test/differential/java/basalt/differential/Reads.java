package basalt.differential;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Random gets and scans. */
final class Reads {
  private final Random random;
  private final boolean raw;

  /** Raw scans show what a flush drops: only where there is none. */
  Reads(Random random, boolean raw) {
    this.random = random;
    this.raw = raw;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private String row() {
    return "r0" + random.nextInt(Schema.ROWS);
  }

  private byte[] family() {
    return new byte[][] {Schema.ONE, Schema.THREE, Schema.MANY, Schema.KEPT}[random.nextInt(4)];
  }

  private byte[] qualifier() {
    return chance(85) ? Schema.QUALIFIERS[random.nextInt(Schema.QUALIFIERS.length)] : chance(50) ? Schema.COUNTER : Schema.TEXT;
  }

  Op next() {
    int kind = random.nextInt(100);
    if (kind < 40) {
      long seed = random.nextLong();
      return new Op("get " + get(seed, ""), false, (side, p) -> Show.result(side.table.get(get(seed, p)), p));
    }
    if (kind < 45) {
      long seed = random.nextLong();
      return new Op("exists " + get(seed, ""), false, (side, p) -> String.valueOf(side.table.exists(get(seed, p))));
    }
    if (kind < 52) {
      List<Long> seeds = new ArrayList<>();
      for (int i = 2 + random.nextInt(5); i > 0; i--) {
        seeds.add(random.nextLong());
      }
      return new Op("gets " + gets(seeds, ""), false, (side, p) -> {
        StringBuilder s = new StringBuilder();
        for (Result result : side.table.get(gets(seeds, p))) {
          s.append(Show.result(result, p)).append(' ');
        }
        return s.toString();
      });
    }
    long seed = random.nextLong();
    return new Op("scan " + scan(seed, ""), false, (side, p) -> Show.scan(side.table, scan(seed, p), p));
  }

  private List<Get> gets(List<Long> seeds, String prefix) {
    List<Get> gets = new ArrayList<>();
    for (long seed : seeds) {
      gets.add(get(seed, prefix));
    }
    return gets;
  }

  private static Get get(long seed, String prefix) {
    return new Reads(new Random(seed), false).get(prefix);
  }

  private Scan scan(long seed, String prefix) {
    return new Reads(new Random(seed), raw).scan(prefix);
  }

  private Get get(String prefix) {
    try {
      Get get = new Get(Schema.bytes(prefix + row()));
      columns(get::addFamily, c -> get.addColumn(c[0], c[1]));
      int versions = versions();
      if (versions > 1) {
        get.readVersions(versions);
      }
      if (chance(20)) {
        long from = random.nextInt(Schema.TIMESTAMPS);
        get.setTimeRange(from, until(from));
      }
      if (chance(10)) {
        long from = random.nextInt(Schema.TIMESTAMPS);
        get.setColumnFamilyTimeRange(family(), from, until(from));
      }
      if (chance(12)) {
        get.setMaxResultsPerColumnFamily(1 + random.nextInt(4));
        get.setRowOffsetPerColumnFamily(random.nextInt(3));
      }
      if (chance(5)) {
        get.setCheckExistenceOnly(true);
      }
      if (chance(35)) {
        get.setFilter(Filters.forGet(random.nextLong(), prefix));
      }
      return get;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private int versions() {
    return chance(50) ? 1 : chance(50) ? Integer.MAX_VALUE : 1 + random.nextInt(4);
  }

  private long until(long from) {
    return chance(30) ? Long.MAX_VALUE : from + 1 + random.nextInt(Schema.TIMESTAMPS);
  }

  private void columns(Consumer<byte[]> addFamily, Consumer<byte[][]> addColumn) {
    if (chance(45)) {
      return;
    }
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      if (chance(40)) {
        addFamily.accept(family());
      } else {
        addColumn.accept(new byte[][] {family(), qualifier()});
      }
    }
  }

  private Scan scan(String prefix) {
    try {
      Scan scan = new Scan();
      boolean reversed = chance(35);
      // The rows of other epochs lie before and behind, in another state: the bounds stay inside of this one.
      String low = chance(50) ? "r" : row();
      String high = chance(50) ? "s" : row();
      scan.setReversed(reversed);
      scan.withStartRow(Schema.bytes(prefix + (reversed ? high : low)), chance(70));
      scan.withStopRow(Schema.bytes(prefix + (reversed ? low : high)), chance(40));
      columns(scan::addFamily, c -> scan.addColumn(c[0], c[1]));
      int versions = versions();
      if (versions > 1) {
        scan.readVersions(versions);
      }
      if (chance(18)) {
        long from = random.nextInt(Schema.TIMESTAMPS);
        scan.setTimeRange(from, until(from));
      }
      if (chance(8)) {
        long from = random.nextInt(Schema.TIMESTAMPS);
        scan.setColumnFamilyTimeRange(family(), from, until(from));
      }
      if (chance(10)) {
        scan.setMaxResultsPerColumnFamily(1 + random.nextInt(4));
        scan.setRowOffsetPerColumnFamily(random.nextInt(3));
      }
      if (chance(30)) {
        scan.setLimit(1 + random.nextInt(Schema.ROWS));
      }
      if (chance(50)) {
        scan.setCaching(1 + random.nextInt(5));
      }
      if (chance(25)) {
        scan.setMaxResultSize(1 + random.nextInt(2000));
        // With a limit the client may take the last row for complete after a part of it.
        scan.setAllowPartialResults(scan.getLimit() < 0 && chance(40));
      }
      if (chance(20)) {
        scan.setReadType(chance(50) ? Scan.ReadType.PREAD : Scan.ReadType.STREAM);
      }
      if (reversed) {
        scan.setLoadColumnFamiliesOnDemand(false); // which HBase refuses in reverse, and does without being asked
      } else if (chance(10)) {
        scan.setLoadColumnFamiliesOnDemand(true);
      }
      if (raw && chance(15)) {
        scan.setRaw(true);
      }
      if (chance(35)) {
        scan.setFilter(Filters.forScan(random.nextLong(), prefix, reversed));
      } else if (chance(25) && !scan.getAllowPartialResults()) {
        scan.setBatch(1 + random.nextInt(5));
      }
      return scan;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
