package basalt.conformance;

/** Counts and prints the outcome of checks; safe for several threads. */
final class Tally {
  private int passed;
  private int failed;

  synchronized void ok(String name) {
    passed++;
    System.out.println("ok " + name);
  }

  synchronized void fail(String name, String expected, String got) {
    failed++;
    System.out.println("FAIL " + name + ": expected " + expected + " got " + got);
  }

  synchronized int failed() {
    return failed;
  }

  synchronized String summary() {
    return passed + " passed, " + failed + " failed";
  }
}
