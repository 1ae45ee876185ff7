package basalt.differential;

/** One operation, to be run on either side and again while shrinking: rows are named under the prefix it is given. */
final class Op {
  /** What runs it. */
  interface Body {
    String run(Side side, String prefix) throws Exception;
  }

  final String text;
  /** Takes the server's clock: no other operation may fall into the same millisecond. */
  final boolean clock;
  private final Body body;

  Op(String text, boolean clock, Body body) {
    this.text = text;
    this.clock = clock;
    this.body = body;
  }

  boolean reads() {
    return text.startsWith("get") || text.startsWith("exists") || text.startsWith("scan");
  }

  /** Its outcome as text; an exception is an outcome too. */
  String run(Side side, String prefix) {
    try {
      return body.run(side, prefix);
    } catch (Exception e) {
      return Show.exception(e);
    }
  }
}
