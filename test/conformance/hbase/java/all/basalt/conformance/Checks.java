package basalt.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.ipc.RemoteException;

/** A group of checks with its own tables, which are dropped when it ends. */
abstract class Checks {
  static final byte[] F = b("f");
  static final byte[] G = b("g");
  static final byte[] A = b("a");
  static final byte[] B = b("b");
  static final byte[] C = b("c");

  /** A step that may throw. */
  interface Body {
    void run() throws Exception;
  }

  final String group = getClass().getSimpleName().replace("Checks", "").toLowerCase();
  final String prefix = "conf_" + group + "_" + Long.toString(System.nanoTime(), 36);
  private final List<TableName> tables = new ArrayList<>();
  private Tally tally;
  Connection connection;
  Admin admin;

  abstract void run() throws Exception;

  final void start(Connection connection, Tally tally) {
    this.connection = connection;
    this.tally = tally;
    try (Admin admin = connection.getAdmin()) {
      this.admin = admin;
      part("group", this::run);
      for (TableName table : tables) {
        drop(table);
      }
    } catch (Exception e) {
      tally.fail(group + " end", "no exception", describe(e));
    }
  }

  final void check(String name, Object expected, Object got) {
    String want = String.valueOf(expected);
    String have = String.valueOf(got);
    if (want.equals(have)) {
      tally.ok(group + " " + name);
    } else {
      tally.fail(group + " " + name, want, have);
    }
  }

  /** Steps that belong together; an exception fails them and lets the next part go on. */
  final void part(String name, Body body) {
    try {
      body.run();
    } catch (Exception | AssertionError e) {
      tally.fail(group + " " + name, "no exception", describe(e));
    }
  }

  /** The body must throw an exception of this simple name, itself or as a cause, with this text somewhere in it. */
  final void fails(String name, String exception, String text, Body body) {
    try {
      body.run();
    } catch (Exception e) {
      for (Throwable t : causes(e)) {
        if (t.getClass().getSimpleName().equals(exception) && String.valueOf(t.getMessage()).contains(text)) {
          tally.ok(group + " " + name);
          return;
        }
      }
      tally.fail(group + " " + name, exception + (text.isEmpty() ? "" : " with '" + text + "'"), describe(e));
      return;
    }
    tally.fail(group + " " + name, exception, "no exception");
  }

  static List<Throwable> causes(Throwable t) {
    List<Throwable> all = new ArrayList<>();
    for (; t != null && all.size() < 20; t = t.getCause()) {
      all.add(t);
      if (t instanceof RetriesExhaustedWithDetailsException) {
        all.addAll(((RetriesExhaustedWithDetailsException) t).getCauses());
      }
    }
    return all;
  }

  /** The simple name of the innermost cause, which is the server's exception. */
  static String cause(Throwable t) {
    while (t.getCause() != null && !(t.getCause() instanceof RemoteException)) {
      t = t.getCause();
    }
    return t.getClass().getSimpleName();
  }

  static String describe(Throwable e) {
    StringBuilder s = new StringBuilder();
    for (Throwable t : causes(e)) {
      String message = String.valueOf(t.getMessage()).replaceAll("\\s+", " ");
      s.append(s.length() == 0 ? "" : " <- ").append(t.getClass().getSimpleName()).append(": ")
          .append(message.length() > 300 ? message.substring(0, 300) + "..." : message);
    }
    for (StackTraceElement frame : e.getStackTrace()) {
      if (frame.getClassName().startsWith("basalt.")) {
        return s + " at " + frame.getFileName() + ":" + frame.getLineNumber();
      }
    }
    return s.toString();
  }

  final TableName name(String table) {
    TableName name = TableName.valueOf(prefix + "_" + table);
    tables.add(name);
    return name;
  }

  /** A table of families f and g that keep 5 versions. */
  final Table create(String table, String... splits) throws IOException {
    return create(name(table), List.of(family("f", 5).build(), family("g", 5).build()), splits);
  }

  final Table create(TableName name, List<ColumnFamilyDescriptor> families, String... splits) throws IOException {
    byte[][] keys = new byte[splits.length][];
    for (int i = 0; i < splits.length; i++) {
      keys[i] = b(splits[i]);
    }
    TableDescriptor table = TableDescriptorBuilder.newBuilder(name).setColumnFamilies(families).build();
    if (splits.length == 0) {
      admin.createTable(table);
    } else {
      admin.createTable(table, keys);
    }
    return connection.getTable(name);
  }

  static ColumnFamilyDescriptorBuilder family(String name, int versions) {
    return ColumnFamilyDescriptorBuilder.newBuilder(b(name)).setMaxVersions(versions);
  }

  final void drop(TableName table) throws IOException {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
  }

  static byte[] b(String s) {
    return Bytes.toBytesBinary(s);
  }

  /** A put of cells "f:q=v" or "f:q@5=v". */
  static Put put(String row, String... cells) {
    Put put = new Put(b(row));
    for (String cell : cells) {
      String column = cell.substring(0, cell.indexOf('='));
      byte[] value = b(cell.substring(cell.indexOf('=') + 1));
      String family = column.substring(0, column.indexOf(':'));
      String qualifier = column.substring(column.indexOf(':') + 1);
      int at = qualifier.indexOf('@');
      if (at < 0) {
        put.addColumn(b(family), b(qualifier), value);
      } else {
        put.addColumn(b(family), b(qualifier.substring(0, at)), Long.parseLong(qualifier.substring(at + 1)), value);
      }
    }
    return put;
  }
}
