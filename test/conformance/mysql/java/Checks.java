import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What a program does that uses Connector/J: checks of one client against a server.
 *
 * <p>Arguments: HOST:PORT USER PASSWORD. Prints a line for each check and 'N passed, N failed'.
 */
public final class Checks {
    private static final String DATABASE = "conf_java";
    private static String address, user, password, properties = "";
    private static int passed, failed;

    private interface Check {
        void run(Connection c) throws Exception;
    }

    private static Connection connect(String database, String more) throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://" + address + "/" + database
            + "?allowPublicKeyRetrieval=true&connectionTimeZone=UTC&" + properties + "&" + more, user, password);
    }

    private static void check(String name, String more, Check check) {
        try (Connection c = connect(DATABASE, more)) {
            check.run(c);
            passed++;
            System.out.println("ok " + name + " " + properties);
        } catch (Throwable e) {
            failed++;
            StackTraceElement at = Arrays.stream(e.getStackTrace()).filter(f -> f.getClassName().startsWith("Checks"))
                .filter(f -> !f.getMethodName().equals("same")).findFirst().orElse(null);
            System.out.println(("FAIL " + name + " " + properties + ": " + e + " " + at).replace('\n', ' '));
        }
    }

    private static void same(Object got, Object want) {
        if (!Objects.deepEquals(got, want)) {
            throw new AssertionError("got " + got + ", want " + want);
        }
    }

    /** All values of a query, as text. */
    private static List<List<String>> rows(Connection c, String query, Object... args) throws SQLException {
        List<List<String>> all = new ArrayList<>();
        try (PreparedStatement s = c.prepareStatement(query)) {
            for (int i = 0; i < args.length; i++) {
                s.setObject(i + 1, args[i]);
            }
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) {
                        row.add(r.getString(i));
                    }
                    all.add(row);
                }
            }
        }
        return all;
    }

    private static int update(Connection c, String statement, Object... args) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(statement)) {
            for (int i = 0; i < args.length; i++) {
                s.setObject(i + 1, args[i]);
            }
            return s.executeUpdate();
        }
    }

    private static void error(int code, String state, Connection c, String statement) {
        try {
            update(c, statement);
        } catch (SQLException e) {
            same(e.getErrorCode() + " " + e.getSQLState(), code + " " + state);
            return;
        }
        throw new AssertionError("no error: " + statement);
    }

    public static void main(String[] args) throws Exception {
        address = args[0];
        user = args[1];
        password = args[2];
        for (String p : new String[] {"useServerPrepStmts=false", "useServerPrepStmts=true&cachePrepStmts=true",
                "useServerPrepStmts=true&rewriteBatchedStatements=true", "useCursorFetch=true&defaultFetchSize=10", "useCompression=true"}) {
            properties = p;
            try (Connection c = connect("", "")) {
                update(c, "DROP DATABASE IF EXISTS " + DATABASE);
                update(c, "CREATE DATABASE " + DATABASE);
            }
            all();
        }
        System.out.println(passed + " passed, " + failed + " failed");
    }

    private static void all() {
        check("connects", "", c -> {
            same(c.isValid(5), true);
            same(c.getMetaData().getDatabaseMajorVersion(), 8);
            same(rows(c, "SELECT DATABASE(), 6 * 7"), List.of(List.of(DATABASE, "42")));
            c.setCatalog("information_schema");
            same(c.getCatalog(), "information_schema");
        });
        check("migrates", "", c -> {
            update(c, "CREATE TABLE people (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL UNIQUE, born DATE)");
            update(c, "ALTER TABLE people ADD COLUMN points INT NOT NULL DEFAULT 7");
            update(c, "CREATE INDEX by_born ON people (born)");
            update(c, "CREATE TABLE pets (id INT PRIMARY KEY, owner BIGINT, FOREIGN KEY (owner) REFERENCES people (id))");
        });
        check("introspects", "", c -> {
            DatabaseMetaData m = c.getMetaData();
            List<String> got = new ArrayList<>();
            try (ResultSet r = m.getTables(DATABASE, null, "%", new String[] {"TABLE"})) {
                while (r.next()) {
                    got.add(r.getString("TABLE_NAME"));
                }
            }
            same(got, List.of("people", "pets"));
            got.clear();
            try (ResultSet r = m.getColumns(DATABASE, null, "people", "%")) {
                while (r.next()) {
                    got.add(r.getString("COLUMN_NAME") + " " + r.getInt("DATA_TYPE") + " " + r.getString("IS_NULLABLE") + " " + r.getString("IS_AUTOINCREMENT"));
                }
            }
            same(got, List.of("id " + Types.BIGINT + " NO YES", "name " + Types.VARCHAR + " NO NO", "born " + Types.DATE + " YES NO", "points " + Types.INTEGER + " NO NO"));
            got.clear();
            try (ResultSet r = m.getPrimaryKeys(DATABASE, null, "people")) {
                while (r.next()) {
                    got.add(r.getString("COLUMN_NAME"));
                }
            }
            try (ResultSet r = m.getIndexInfo(DATABASE, null, "people", false, false)) {
                while (r.next()) {
                    got.add(r.getString("INDEX_NAME") + " " + r.getBoolean("NON_UNIQUE"));
                }
            }
            try (ResultSet r = m.getImportedKeys(DATABASE, null, "pets")) {
                while (r.next()) {
                    got.add(r.getString("PKTABLE_NAME") + "." + r.getString("PKCOLUMN_NAME"));
                }
            }
            same(got, List.of("id", "name false", "PRIMARY false", "by_born true", "people.id"));
        });
        check("changes rows", "", c -> {
            try (PreparedStatement s = c.prepareStatement("INSERT INTO people (name, born) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
                s.setString(1, "Ada");
                s.setObject(2, LocalDate.of(1815, 12, 10));
                same(s.executeUpdate(), 1);
                try (ResultSet keys = s.getGeneratedKeys()) {
                    same(keys.next() ? keys.getLong(1) : -1, 1L);
                }
                s.setString(1, "Bob");
                s.setNull(2, Types.DATE);
                same(s.executeUpdate(), 1);
            }
            same(update(c, "UPDATE people SET points = points + ? WHERE name < ?", 1, "C"), 2);
            same(update(c, "UPDATE people SET points = 8 WHERE name = 'Ada'"), 1); // the driver asks for found rows
            same(update(c, "INSERT INTO people (name) VALUES ('Ada') ON DUPLICATE KEY UPDATE points = 100"), 2);
            same(rows(c, "SELECT name, points, born FROM people ORDER BY id"), List.of(List.of("Ada", "100", "1815-12-10"), Arrays.asList("Bob", "8", null)));
            same(update(c, "DELETE FROM people WHERE name = ?", "Bob"), 1);
        });
        check("runs batches", "", c -> {
            update(c, "CREATE TABLE batch (id INT PRIMARY KEY, n INT NOT NULL)");
            try (PreparedStatement s = c.prepareStatement("INSERT INTO batch VALUES (?, ?)")) {
                for (int i = 0; i < 100; i++) {
                    s.setInt(1, i);
                    s.setInt(2, i);
                    s.addBatch();
                }
                same(s.executeBatch().length, 100);
            }
            try (PreparedStatement s = c.prepareStatement("UPDATE batch SET n = n + ? WHERE id = ?")) {
                for (int i = 0; i < 5; i++) {
                    s.setInt(1, 1000);
                    s.setInt(2, i);
                    s.addBatch();
                }
                same(s.executeBatch(), new int[] {1, 1, 1, 1, 1});
            }
            same(rows(c, "SELECT COUNT(*), SUM(n) FROM batch"), List.of(List.of("100", "9950")));
            List<Integer> read = new ArrayList<>();
            try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT id FROM batch ORDER BY id")) {
                while (r.next()) {
                    read.add(r.getInt(1));
                }
            }
            same(read.size(), 100);
            same(read.get(99), 99);
        });
        check("runs transactions", "", c -> {
            c.setAutoCommit(false);
            update(c, "INSERT INTO people (name) VALUES ('Dan')");
            c.rollback();
            update(c, "INSERT INTO people (name) VALUES ('Eve')");
            Savepoint s = c.setSavepoint("here");
            update(c, "INSERT INTO people (name) VALUES ('Fay')");
            c.rollback(s);
            c.commit();
            c.setAutoCommit(true);
            same(rows(c, "SELECT name FROM people WHERE name > 'B'"), List.of(List.of("Eve")));
            for (int level : new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ}) {
                c.setTransactionIsolation(level);
                same(c.getTransactionIsolation(), level);
            }
            update(c, "SET TRANSACTION READ ONLY");
            c.setAutoCommit(false);
            error(1792, "25006", c, "DELETE FROM people");
            c.rollback();
        });
        check("keeps blobs", "", c -> {
            update(c, "CREATE TABLE blobs (id INT PRIMARY KEY, b LONGBLOB)");
            byte[] b = new byte[1 << 20];
            for (int i = 0; i < b.length; i++) {
                b[i] = (byte) i;
            }
            try (PreparedStatement s = c.prepareStatement("INSERT INTO blobs VALUES (?, ?)")) {
                s.setInt(1, 1);
                s.setBytes(2, b);
                s.executeUpdate();
                s.setInt(1, 2);
                s.setBinaryStream(2, new java.io.ByteArrayInputStream(b), b.length);
                s.executeUpdate();
                s.setInt(1, 3);
                s.setBytes(2, new byte[0]);
                s.executeUpdate();
            }
            try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("SELECT id, b FROM blobs ORDER BY id")) {
                for (int i = 1; i <= 3; i++) {
                    r.next();
                    try (InputStream in = r.getBinaryStream(2)) {
                        same(Arrays.equals(in.readAllBytes(), i < 3 ? b : new byte[0]), true);
                    }
                }
            }
        });
        check("keeps dates, numbers and text", "", c -> {
            update(c, "CREATE TABLE things (id INT PRIMARY KEY, d DATE, dt DATETIME(6), ts TIMESTAMP(3) NULL, t TIME, n DECIMAL(20, 4), "
                + "u BIGINT UNSIGNED, f DOUBLE, b BIT(1), w VARCHAR(100), j JSON, e ENUM('x', 'y'))");
            LocalDateTime moment = LocalDateTime.of(2024, 2, 29, 23, 59, 58, 123456000);
            String text = "grüße 世界 \uD83D\uDE00 '\"\\";
            try (PreparedStatement s = c.prepareStatement("INSERT INTO things VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
                s.setObject(1, moment.toLocalDate());
                s.setObject(2, moment);
                s.setTimestamp(3, Timestamp.valueOf(moment));
                s.setString(4, "23:59:58");
                s.setBigDecimal(5, new BigDecimal("-1234567890123456.7891"));
                s.setBigDecimal(6, new BigDecimal("18446744073709551615"));
                s.setDouble(7, 1.5e300);
                s.setBoolean(8, true);
                s.setString(9, text);
                s.setString(10, "{\"a\": 1}");
                s.setString(11, "y");
                s.executeUpdate();
            }
            for (String query : new String[] {"SELECT * FROM things", "SELECT * FROM things WHERE id = 1"}) {
                try (PreparedStatement s = c.prepareStatement(query); ResultSet r = s.executeQuery()) {
                    same(r.next(), true);
                    same(r.getObject(2, LocalDate.class), moment.toLocalDate());
                    same(r.getObject(3, LocalDateTime.class), moment);
                    same(r.getTimestamp(4), Timestamp.valueOf(moment.withNano(123000000)));
                    same(r.getTime(5).toString(), "23:59:58");
                    same(r.getBigDecimal(6), new BigDecimal("-1234567890123456.7891"));
                    same(r.getObject(7), new java.math.BigInteger("18446744073709551615"));
                    same(r.getDouble(8), 1.5e300);
                    same(r.getBoolean(9), true);
                    same(r.getString(10), text);
                    same(r.getString(11), "{\"a\": 1}");
                    same(r.getString(12), "y");
                }
            }
        });
        check("tells errors", "", c -> {
            error(1054, "42S22", c, "UPDATE people SET nope = 1");
            error(1146, "42S02", c, "DELETE FROM nope");
            error(1064, "42000", c, "UPDAT people");
            error(1062, "23000", c, "INSERT INTO people (name) VALUES ('Ada')");
            error(1048, "23000", c, "INSERT INTO people (name) VALUES (NULL)");
            error(1452, "23000", c, "INSERT INTO pets VALUES (1, 12345)");
            error(1050, "42S01", c, "CREATE TABLE people (id INT)");
            try {
                update(c, "INSERT INTO people (name) VALUES ('Ada')");
            } catch (SQLIntegrityConstraintViolationException e) {
                return;
            }
            throw new AssertionError("no constraint violation");
        });
        check("reads several results", "allowMultiQueries=true", c -> {
            try (Statement s = c.createStatement()) {
                same(s.execute("SELECT 1; UPDATE people SET points = 1 WHERE id = -1; SELECT 2"), true);
                same(s.getMoreResults(), false);
                same(s.getUpdateCount(), 0);
                same(s.getMoreResults(), true);
                same(s.getMoreResults() || s.getUpdateCount() != -1, false);
            }
        });
        check("streams", "", c -> {
            try (Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
                s.setFetchSize(Integer.MIN_VALUE);
                int n = 0;
                try (ResultSet r = s.executeQuery("SELECT id, n FROM batch")) {
                    while (r.next()) {
                        n++;
                    }
                }
                same(n, 100);
            }
        });
        check("uses TLS", "sslMode=REQUIRED", c -> same(rows(c, "SHOW STATUS LIKE 'Ssl_cipher'").get(0).get(1).isEmpty(), false));
        check("without TLS", "sslMode=DISABLED", c -> same(new String(rows(c, "SELECT 'é'").get(0).get(0).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8), "é"));
    }
}
