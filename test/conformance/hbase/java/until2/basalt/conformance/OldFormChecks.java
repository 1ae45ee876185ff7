package basalt.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HColumnDescriptor;
import org.apache.hadoop.hbase.HTableDescriptor;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.CompareFilter.CompareOp;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** What the 2.x clients still offer from 1.x times and 3.0 dropped. */
@SuppressWarnings("deprecation")
public final class OldFormChecks extends Checks {
  private Table table;

  @Override
  void run() throws Exception {
    HTableDescriptor descriptor = new HTableDescriptor(name("t"));
    descriptor.addFamily(new HColumnDescriptor("f").setMaxVersions(3));
    descriptor.addFamily(new HColumnDescriptor("g"));
    admin.createTable(descriptor, new byte[][] {b("m")});
    table = connection.getTable(descriptor.getTableName());
    part("descriptor", () -> {
      HTableDescriptor read = admin.getTableDescriptor(descriptor.getTableName());
      check("table descriptor", "3 1", read.getFamily(F).getMaxVersions() + " " + read.getFamily(G).getMaxVersions());
      check("list tables", 1, admin.listTables(prefix + ".*").length);
      check("regions of the table", 2, admin.getTableRegions(descriptor.getTableName()).size());
    });
    part("conditions", this::conditions);
    part("small scans", this::small);
    part("lease", this::lease);
    part("gets and scans", this::reads);
  }

  private String all(String row) throws Exception {
    return Show.result(table.get(new Get(b(row)).setMaxVersions()));
  }

  private void conditions() throws Exception {
    check("checkAndPut if absent", "true false", table.checkAndPut(b("c1"), F, A, null, put("c1", "f:a@1=1")) + " "
        + table.checkAndPut(b("c1"), F, A, null, put("c1", "f:a@1=2")));
    check("checkAndPut if equal", true, table.checkAndPut(b("c1"), F, A, b("1"), put("c1", "f:b@1=2")));
    check("checkAndPut by operator", "true false",
        table.checkAndPut(b("c1"), F, A, CompareOperator.GREATER, b("2"), put("c1", "f:c@1=3")) + " "
            + table.checkAndPut(b("c1"), F, A, CompareOp.LESS, b("2"), put("c1", "f:d@1=4")));
    check("written", "c1[f:a@1=1 f:b@1=2 f:c@1=3]", all("c1"));
    RowMutations mutations = new RowMutations(b("c1"));
    mutations.add(put("c1", "g:a@1=1"));
    mutations.add(new Delete(b("c1")).addColumns(F, C));
    check("checkAndMutate", "false true",
        table.checkAndMutate(b("c1"), F, A, CompareOperator.NOT_EQUAL, b("1"), mutations) + " "
            + table.checkAndMutate(b("c1"), F, A, CompareOp.EQUAL, b("1"), mutations));
    check("mutated", "c1[f:a@1=1 f:b@1=2 g:a@1=1]", all("c1"));
    check("checkAndDelete", "false true", table.checkAndDelete(b("c1"), F, A, b("9"), new Delete(b("c1"))) + " "
        + table.checkAndDelete(b("c1"), F, A, CompareOperator.EQUAL, b("1"), new Delete(b("c1")).addFamily(F)));
    check("deleted", "c1[g:a@1=1]", all("c1"));
  }

  private void small() throws Exception {
    table.put(List.of(put("s1", "f:a@1=1"), put("s2", "f:a@1=1"), put("s3", "f:a@1=1"), put("a1", "f:a@1=1"), put("z1", "f:a@1=1")));
    Scan scan = new Scan(b("a"), b("zz")).addColumn(F, A);
    check("small", "a1 s1 s2 s3 z1", Show.keys(connection, table, new Scan(scan).setSmall(true)));
    check("small, by twos", "a1 s1 s2 s3 z1", Show.keys(connection, table, new Scan(scan).setSmall(true).setCaching(2)));
    check("small, reversed", "s3 s2 s1", Show.keys(connection, table, new Scan(b("s3"), b("b")).addColumn(F, A).setSmall(true).setReversed(true)));
    check("small, limit", "a1 s1", Show.keys(connection, table, new Scan(scan).setSmall(true).setLimit(2)));
    check("start equals stop", "s2", Show.keys(connection, table, new Scan(b("s2"), b("s2"))));
    check("get as a scan", "s2", Show.keys(connection, table, new Scan(new Get(b("s2")))));
  }

  /** The 3.0 client keeps its scanners alive by itself and offers no renewal. */
  private void lease() throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      puts.add(put(String.format("w%02d", i), "g:a@1=" + i));
    }
    table.put(puts);
    try (ResultScanner scanner = table.getScanner(new Scan(b("w"), b("x")).setCaching(1))) {
      scanner.next();
      check("renew lease", true, scanner.renewLease());
      check("next after renew", "w01", Bytes.toString(scanner.next().getRow()));
      check("renew lease again", true, scanner.renewLease());
      int rest = 0;
      for (Result result : scanner) {
        rest += result.isEmpty() ? 0 : 1;
      }
      check("the rest after renew", 18, rest);
    }
  }

  private void reads() throws Exception {
    table.put(put("r1", "f:a@1=1", "f:a@2=2", "f:a@3=3"));
    check("setMaxVersions", "r1[f:a@3=3 f:a@2=2]", Show.result(table.get(new Get(b("r1")).setMaxVersions(2))));
    check("setTimeStamp", "r1[f:a@2=2]", Show.result(table.get(new Get(b("r1")).setTimeStamp(2))));
    check("existsAll", "[true, false]", Arrays.toString(table.existsAll(List.of(new Get(b("r1")), new Get(b("r0"))))));
    check("setStartRow, setStopRow", "r1 s1", Show.keys(connection, table, new Scan().setStartRow(b("r")).setStopRow(b("s2"))));
    check("filter with the old operator", "r1[f:a@3=3]",
        Show.scan(table, new Scan(b("r"), b("s")).setFilter(new SingleColumnValueFilter(F, A, CompareOp.EQUAL, b("3")))));
  }
}
