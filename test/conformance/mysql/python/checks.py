"""What a program does that uses PyMySQL: checks of one client against a server.

    checks.py HOST PORT USER PASSWORD

Prints a line for each check and 'N passed, N failed'.
"""

import datetime
import decimal
import sys
import traceback

import pymysql
import pymysql.cursors

host, port, user, password = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
DB = "conf_python"
passed = failed = 0


def connect(**options):
    return pymysql.connect(host=host, port=port, user=user, password=password, **options)


def check(f):
    """Runs a check with a connection and a cursor of its own."""
    global passed, failed
    try:
        with connect(database=DB) as connection, connection.cursor() as cursor:
            f(connection, cursor)
        passed += 1
        print("ok", f.__name__)
    except Exception as e:
        failed += 1
        where = traceback.extract_tb(e.__traceback__)[-1]
        print(f"FAIL {f.__name__}: {type(e).__name__} {e} (line {where.lineno}: {where.line})")


def same(got, want):
    if got != want or type(got) is not type(want):
        raise AssertionError(f"got {got!r}, want {want!r}")


def rows(cursor, query, *args):
    cursor.execute(query, args or None)
    return list(cursor.fetchall())


def code(cursor, query, *args):
    try:
        cursor.execute(query, args or None)
    except pymysql.MySQLError as e:
        return e.args[0]
    return 0


with connect() as setup, setup.cursor() as c:
    c.execute(f"DROP DATABASE IF EXISTS {DB}")
    c.execute(f"CREATE DATABASE {DB} CHARACTER SET utf8mb4")


@check
def connects(connection, cursor):
    assert connection.server_version.startswith("8."), connection.server_version
    same(rows(cursor, "SELECT DATABASE(), 6 * 7"), [(DB, 42)])
    same(rows(cursor, "SELECT @@autocommit, @@character_set_client"), [(0, "utf8mb4")])
    connection.ping()
    connection.select_db("information_schema")
    same(rows(cursor, "SELECT DATABASE()"), [("information_schema",)])


@check
def migrates(connection, cursor):
    cursor.execute("CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL, UNIQUE KEY by_name (name))")
    cursor.execute("ALTER TABLE people ADD COLUMN born DATE")
    cursor.execute("ALTER TABLE people ADD COLUMN points INT NOT NULL DEFAULT 7")
    cursor.execute("CREATE INDEX by_born ON people (born, name)")
    cursor.execute("CREATE TABLE pets (id INT PRIMARY KEY, owner INT, FOREIGN KEY (owner) REFERENCES people (id))")
    same(code(cursor, "CREATE TABLE people (id INT)"), 1050)
    cursor.execute("CREATE TABLE IF NOT EXISTS people (id INT)")


@check
def introspects(connection, cursor):
    same([r[0] for r in rows(cursor, "SHOW TABLES")], ["people", "pets"])
    same(rows(cursor, """SELECT column_name, data_type, is_nullable, column_key FROM information_schema.columns
        WHERE table_schema = %s AND table_name = 'people' ORDER BY ordinal_position""", DB),
        [("id", "int", "NO", "PRI"), ("name", "varchar", "NO", "UNI"), ("born", "date", "YES", "MUL"), ("points", "int", "NO", "")])
    same([r[0] for r in rows(cursor, "SHOW COLUMNS FROM people")], ["id", "name", "born", "points"])
    keys = {(r[2], r[4]) for r in rows(cursor, "SHOW INDEX FROM people")}
    same(keys, {("PRIMARY", "id"), ("by_name", "name"), ("by_born", "born"), ("by_born", "name")})
    text = rows(cursor, "SHOW CREATE TABLE pets")[0][1]
    assert "FOREIGN KEY (`owner`) REFERENCES `people` (`id`)" in text, text


@check
def changes_rows(connection, cursor):
    same(cursor.execute("INSERT INTO people (name, born) VALUES (%s, %s)", ("Ada", datetime.date(1815, 12, 10))), 1)
    first = cursor.lastrowid
    same(cursor.executemany("INSERT INTO people (name) VALUES (%s)", [("Bob",), ("Cyd",)]), 2)
    same(rows(cursor, "SELECT id, name, born, points FROM people ORDER BY id"),
         [(first, "Ada", datetime.date(1815, 12, 10), 7), (first + 1, "Bob", None, 7), (first + 2, "Cyd", None, 7)])
    same(cursor.execute("UPDATE people SET points = points + 1 WHERE name < 'C'"), 2)
    same(cursor.execute("INSERT INTO people (name) VALUES ('Ada') ON DUPLICATE KEY UPDATE points = 100"), 2)
    same(cursor.execute("DELETE FROM people WHERE name = 'Cyd'"), 1)
    same(rows(cursor, "SELECT name, points FROM people ORDER BY points DESC"), [("Ada", 100), ("Bob", 8)])
    connection.commit()


@check
def runs_transactions(connection, cursor):
    cursor.execute("INSERT INTO people (name) VALUES ('Dan')")
    with connect(database=DB) as other, other.cursor() as o:
        same(rows(o, "SELECT COUNT(*) FROM people WHERE name = 'Dan'"), [(0,)])
    connection.rollback()
    same(rows(cursor, "SELECT COUNT(*) FROM people WHERE name = 'Dan'"), [(0,)])
    cursor.execute("INSERT INTO people (name) VALUES ('Eve')")
    cursor.execute("SAVEPOINT s")
    cursor.execute("INSERT INTO people (name) VALUES ('Fay')")
    cursor.execute("ROLLBACK TO SAVEPOINT s")
    connection.commit()
    same(rows(cursor, "SELECT name FROM people WHERE name > 'D' ORDER BY name"), [("Eve",)])
    connection.autocommit(True)
    cursor.execute("DELETE FROM people WHERE name = 'Eve'")


@check
def keeps_blobs(connection, cursor):
    cursor.execute("CREATE TABLE blobs (id INT PRIMARY KEY, b LONGBLOB, v VARBINARY(300))")
    every = bytes(range(256))
    big = every * 8192
    cursor.execute("INSERT INTO blobs VALUES (1, %s, %s), (2, %s, NULL)", (big, every, b""))
    got = rows(cursor, "SELECT b, v FROM blobs ORDER BY id")
    assert got == [(big, every), (b"", None)], [len(r[0]) for r in got]
    same(rows(cursor, "SELECT LENGTH(b), HEX(v) FROM blobs WHERE id = 1"), [(len(big), every.hex().upper())])


@check
def keeps_dates(connection, cursor):
    cursor.execute("CREATE TABLE times (id INT PRIMARY KEY, d DATE, dt DATETIME, dt6 DATETIME(6), t TIME, ts TIMESTAMP NULL, y YEAR)")
    moment = datetime.datetime(2024, 2, 29, 23, 59, 58, 123456)
    whole = moment.replace(microsecond=0)
    cursor.execute("SET time_zone = '+00:00'")
    cursor.execute("INSERT INTO times VALUES (1, %s, %s, %s, %s, %s, 2024)",
                   (moment.date(), whole, moment, datetime.timedelta(hours=-30, seconds=-5), whole))
    same(rows(cursor, "SELECT d, dt, dt6, t, ts, y FROM times"),
         [(moment.date(), whole, moment, datetime.timedelta(hours=-30, seconds=-5), whole, 2024)])
    cursor.execute("SET time_zone = '+08:00'")
    same(rows(cursor, "SELECT dt, ts FROM times"), [(whole, whole + datetime.timedelta(hours=8))])
    cursor.execute("INSERT INTO times (id, dt) VALUES (2, '2023-12-31 23:59:59.9')")
    same(rows(cursor, "SELECT dt FROM times WHERE id = 2"), [(datetime.datetime(2024, 1, 1),)])


@check
def keeps_text(connection, cursor):
    cursor.execute("CREATE TABLE words (id INT PRIMARY KEY, w VARCHAR(100), t TEXT, j JSON)")
    text = "grüße, 世界, \U0001f600 'quoted' \\back\\ \"double\" \x00 \n \x1a"
    cursor.execute("INSERT INTO words VALUES (1, %s, %s, %s)", (text, text * 100, '{"a": [1, null, "ü"]}'))
    same(rows(cursor, "SELECT w, t, CHAR_LENGTH(w) FROM words"), [(text, text * 100, len(text))])
    same(rows(cursor, "SELECT j->>'$.a[2]', JSON_LENGTH(j, '$.a') FROM words"), [("ü", 3)])
    same(rows(cursor, "SELECT id FROM words WHERE w LIKE %s", "%世界%"), [(1,)])


@check
def keeps_numbers(connection, cursor):
    cursor.execute("""CREATE TABLE numbers (a TINYINT, b SMALLINT UNSIGNED, c BIGINT, d BIGINT UNSIGNED, e DECIMAL(30, 10), f DOUBLE,
        g FLOAT, h BIT(8), i ENUM('x', 'y'), k SET('p', 'q'))""")
    cursor.execute("INSERT INTO numbers VALUES (-128, 65535, -9223372036854775808, 18446744073709551615, %s, 1.5e300, 0.25, b'101', 'y', 'p,q')",
                   (decimal.Decimal("-12345678901234567890.0123456789"),))
    same(rows(cursor, "SELECT * FROM numbers"), [(-128, 65535, -2**63, 2**64 - 1, decimal.Decimal("-12345678901234567890.0123456789"),
         1.5e300, 0.25, b"\x05", "y", "p,q")])
    same(code(cursor, "INSERT INTO numbers (a) VALUES (128)"), 1264)


@check
def tells_errors(connection, cursor):
    for want, query in [
        (1054, "SELECT nope FROM people"), (1146, "SELECT * FROM nope"), (1049, "USE nope"), (1064, "SELEC 1"),
        (1062, "INSERT INTO people (name) VALUES ('Ada')"), (1048, "INSERT INTO people (name) VALUES (NULL)"),
        (1452, "INSERT INTO pets VALUES (1, 999)"), (1406, "INSERT INTO people (name) VALUES (REPEAT('x', 51))"),
    ]:
        got = code(cursor, query)
        if got != want:
            raise AssertionError(f"{query}: {got}, want {want}")
    same(rows(cursor, "SELECT 1"), [(1,)])


@check
def reads_unbuffered(connection, cursor):
    cursor.execute("CREATE TABLE many (id INT PRIMARY KEY, pad CHAR(100))")
    for start in range(0, 5000, 500):
        cursor.executemany("INSERT INTO many VALUES (%s, %s)", [(i, "x" * 100) for i in range(start, start + 500)])
    with connection.cursor(pymysql.cursors.SSCursor) as streaming:
        streaming.execute("SELECT id FROM many ORDER BY id")
        same([r[0] for r in streaming], list(range(5000)))


@check
def reads_several_results(connection, cursor):
    with connect(database=DB, client_flag=pymysql.constants.CLIENT.MULTI_STATEMENTS) as many, many.cursor() as m:
        m.execute("SELECT 1; SET @a = 2; SELECT @a")
        got = []
        while True:
            got.append(list(m.fetchall()))
            if not m.nextset():
                break
        same(got, [[(1,)], [], [(2,)]])
    same(code(cursor, "SELECT 1; SELECT 2"), 1064)


@check
def logs_in_with_passwords(connection, cursor):
    for plugin in ["caching_sha2_password", "mysql_native_password"]:
        name = "conf_" + plugin[:6]
        cursor.execute(f"DROP USER IF EXISTS {name}@'%'")
        cursor.execute(f"CREATE USER {name}@'%' IDENTIFIED WITH {plugin} BY 'se''cret'")
        cursor.execute(f"GRANT SELECT ON {DB}.* TO {name}@'%'")
        for _ in range(2):  # the second one takes the fast way
            with pymysql.connect(host=host, port=port, user=name, password="se'cret", database=DB) as mine, mine.cursor() as m:
                same(rows(m, "SELECT CURRENT_USER()"), [(name + "@%",)])
                same(code(m, "DELETE FROM people"), 1142)
        try:
            pymysql.connect(host=host, port=port, user=name, password="wrong")
            raise AssertionError("logged in with a wrong password")
        except pymysql.err.OperationalError as e:
            same(e.args[0], 1045)
        cursor.execute(f"DROP USER {name}@'%'")


print(f"{passed} passed, {failed} failed")
