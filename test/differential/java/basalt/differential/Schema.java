package basalt.differential;

import java.nio.charset.StandardCharsets;

/** The families of the test table and what their columns are used for. */
final class Schema {
  /** One version kept. In epochs without flush only, since a flush drops what is surplus. */
  static final byte[] ONE = bytes("f1");
  /** Three versions kept, likewise. */
  static final byte[] THREE = bytes("f3");
  /** More versions kept than are ever written to one of its columns, so that none is surplus. */
  static final byte[] MANY = bytes("fm");
  /** The same, with deleted cells kept. */
  static final byte[] KEPT = bytes("fk");
  static final byte[] UNKNOWN = bytes("none");

  static final int MANY_VERSIONS = 40;
  /** Chosen timestamps are 1 to this. */
  static final int TIMESTAMPS = 6;
  /** Writes that take the server's clock, per column and epoch; with TIMESTAMPS far below what may be dropped early. */
  static final int CLOCK_WRITES = 8;
  static final int ROWS = 10;

  static final byte[][] QUALIFIERS = {bytes("a"), bytes("b"), bytes("ba"), bytes("c"), bytes("")};
  /** Counters and appended texts, in MANY and KEPT. */
  static final byte[] COUNTER = bytes("n");
  static final byte[] COUNTER_2 = bytes("o");
  static final byte[] TEXT = bytes("t");

  private Schema() {
  }

  static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] b) {
    return new String(b, StandardCharsets.UTF_8);
  }
}
