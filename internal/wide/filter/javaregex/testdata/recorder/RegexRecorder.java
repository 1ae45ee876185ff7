import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Asks java.util.regex. A line of the input is: FLAGS PATTERN TEXT, the last two as hexadecimal UTF-8, "-" when empty.
 * The answer is "yes", "no" or "error".
 */
public class RegexRecorder {
  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null;) {
      String[] w = line.split(" ");
      String answer;
      try {
        Pattern p = Pattern.compile(text(w[1]), Integer.parseInt(w[0]));
        answer = p.matcher(text(w[2])).find() ? "yes" : "no";
      } catch (IllegalArgumentException e) {
        answer = "error";
      }
      System.out.println(answer);
    }
  }

  private static String text(String hex) {
    return hex.equals("-") ? "" : new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
  }
}
