# all types, there and back
CREATE TABLE t (id INT PRIMARY KEY, i8 TINYINT, u8 TINYINT UNSIGNED, i16 SMALLINT, i24 MEDIUMINT, u32 INT UNSIGNED, i64 BIGINT, u64 BIGINT UNSIGNED, f FLOAT, d DOUBLE, de DECIMAL(10,3), c CHAR(5), vc VARCHAR(20), tx TEXT, b BINARY(4), vb VARBINARY(10), bl BLOB, dt DATE, dtm DATETIME, dt3 DATETIME(3), ts TIMESTAMP NULL, tm TIME, tm6 TIME(6), y YEAR, e ENUM('a','b','c'), s SET('x','y','z'), bi BIT(10), j JSON, bo BOOLEAN)
----
ok, 0 rows

INSERT INTO t VALUES (1, -128, 255, -32768, -8388608, 4294967295, -9223372036854775808, 18446744073709551615, 1.5, 2.25, 1234567.891, 'abc', 'déf', 'text', 'ab', x'00FF', 'blob', '2024-02-29', '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56', '-12:34:56', '838:59:59', 2024, 'b', 'x,z', b'1010', '{"a": [1, 2]}', TRUE)
----
ok, 1 rows

INSERT INTO t (id) VALUES (2)
----
ok, 1 rows

SELECT * FROM t
----
id | i8 | u8 | i16 | i24 | u32 | i64 | u64 | f | d | de | c | vc | tx | b | vb | bl | dt | dtm | dt3 | ts | tm | tm6 | y | e | s | bi | j | bo
1 | -128 | 255 | -32768 | -8388608 | 4294967295 | -9223372036854775808 | 18446744073709551615 | 1.5 | 2.25 | 1234567.891 | abc | déf | text | 0x61620000 | 0x00FF | blob | 2024-02-29 | 2024-02-29 12:34:56 | 2024-02-29 12:34:56.789 | 2024-02-29 12:34:56 | -45296s | 3.020399e+06s | 2024 | b | x,z | 0x000A | {"a": [1, 2]} | 1
2 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL

reopen
----

SELECT * FROM t WHERE id = 1
----
id | i8 | u8 | i16 | i24 | u32 | i64 | u64 | f | d | de | c | vc | tx | b | vb | bl | dt | dtm | dt3 | ts | tm | tm6 | y | e | s | bi | j | bo
1 | -128 | 255 | -32768 | -8388608 | 4294967295 | -9223372036854775808 | 18446744073709551615 | 1.5 | 2.25 | 1234567.891 | abc | déf | text | 0x61620000 | 0x00FF | blob | 2024-02-29 | 2024-02-29 12:34:56 | 2024-02-29 12:34:56.789 | 2024-02-29 12:34:56 | -45296s | 3.020399e+06s | 2024 | b | x,z | 0x000A | {"a": [1, 2]} | 1

INSERT INTO t (id, i8) VALUES (3, 128)
----
ERROR 1264 (22003): 128 out of range for tinyint

INSERT INTO t (id, u8) VALUES (3, -1)
----
ERROR 1264 (22003): -1 out of range for tinyint unsigned

INSERT INTO t (id, c) VALUES (3, 'toolong')
----
ERROR 1406 (22001): string 'toolong' is too large for column 'c'

INSERT INTO t (id, dt) VALUES (3, '2024-13-01')
----
ERROR 1292 (22007): Incorrect datetime value: '2024-13-01'

INSERT INTO t (id, e) VALUES (3, 'q')
----
ERROR 1265 (01000): value q is not valid for this Enum

INSERT INTO t (id, j) VALUES (3, '{')
----
ERROR 3140 (22032): Invalid JSON text: unexpected end of JSON input

INSERT INTO t (id, de) VALUES (3, 1.23456), (4, -0.0005), (5, 99999999)
----
ERROR 1264 (22003): Out of range value for column of Decimal type 

SELECT id, de FROM t WHERE id > 2
----
id | de

INSERT INTO t (id, dtm) VALUES (6, '2020-01-01 00:00:00.6'), (7, '2020-12-31 23:59:59.9')
----
ok, 2 rows, Records: 2  Duplicates: 0  Warnings: 0

SELECT id, dtm FROM t WHERE id > 5
----
id | dtm
6 | 2020-01-01 00:00:01
7 | 2021-01-01 00:00:00

# time zones: only TIMESTAMP moves
SET time_zone = '+00:00'
----
ok, 0 rows

CREATE TABLE z (id INT PRIMARY KEY, d DATETIME, ts TIMESTAMP NULL, KEY (ts))
----
ok, 0 rows

INSERT INTO z VALUES (1, '2024-06-01 12:00:00', '2024-06-01 12:00:00')
----
ok, 1 rows

SET time_zone = '+08:00'
----
ok, 0 rows

SELECT * FROM z
----
id | d | ts
1 | 2024-06-01 12:00:00 | 2024-06-01 20:00:00

SELECT id FROM z WHERE ts = '2024-06-01 20:00:00'
----
id
1

SET time_zone = '-05:00'
----
ok, 0 rows

SELECT * FROM z
----
id | d | ts
1 | 2024-06-01 12:00:00 | 2024-06-01 07:00:00

INSERT INTO z VALUES (2, '2024-06-01 12:00:00', '2024-06-01 12:00:00')
----
ok, 1 rows

SET time_zone = '+00:00'
----
ok, 0 rows

SELECT * FROM z
----
id | d | ts
1 | 2024-06-01 12:00:00 | 2024-06-01 12:00:00
2 | 2024-06-01 12:00:00 | 2024-06-01 17:00:00

# indexes over types
CREATE TABLE x (a DECIMAL(8,2), b VARCHAR(20), c DATETIME, d DOUBLE, e TIME, KEY (a), KEY (b), KEY (c), KEY (d), KEY (e))
----
ok, 0 rows

INSERT INTO x VALUES (-1.5, 'Apple', '2024-01-01', -2.5, '-01:00:00'), (0, 'banana', '2024-01-02', 0, '00:00:00'), (1.25, 'CHERRY', '2024-01-03', 1e10, '10:00:00'), (100, 'date', NULL, NULL, NULL)
----
ok, 4 rows, Records: 4  Duplicates: 0  Warnings: 0

SELECT a FROM x WHERE a > -1.5 ORDER BY a
----
a
0.00
1.25
100.00

SELECT a FROM x WHERE a >= 1.249 ORDER BY a
----
a
1.25
100.00

SELECT b FROM x WHERE b >= 'BANANA' ORDER BY b
----
b
banana
CHERRY
date

SELECT b FROM x WHERE b LIKE 'ch%'
----
b
CHERRY

SELECT b FROM x WHERE b IN ('APPLE', 'Date')
----
b
Apple
date

SELECT c FROM x WHERE c BETWEEN '2024-01-02' AND '2024-01-03 00:00:00' ORDER BY c
----
c
2024-01-02 00:00:00
2024-01-03 00:00:00

SELECT d FROM x WHERE d < 1 ORDER BY d DESC
----
d
0
-2.5

SELECT e FROM x WHERE e > '-00:30:00' ORDER BY e
----
e
0s
36000s

SELECT a FROM x WHERE c IS NULL
----
a
100.00

SELECT a FROM x WHERE d IS NOT NULL ORDER BY d
----
a
-1.50
0.00
1.25

# collations
CREATE TABLE col (ci VARCHAR(10) COLLATE utf8mb4_0900_ai_ci UNIQUE, gen VARCHAR(10) COLLATE utf8mb4_general_ci UNIQUE, bin VARCHAR(10) COLLATE utf8mb4_bin UNIQUE)
----
ok, 0 rows

INSERT INTO col (ci) VALUES ('bar'), ('bar ')
----
ok, 2 rows, Records: 2  Duplicates: 0  Warnings: 0

INSERT INTO col (ci) VALUES ('BAR')
----
ERROR 1062 (23000): Duplicate entry 'BAR' for key 'col.ci'

INSERT INTO col (ci) VALUES ('bär')
----
ERROR 1062 (23000): Duplicate entry 'bär' for key 'col.ci'

INSERT INTO col (gen) VALUES ('bar')
----
ok, 1 rows

INSERT INTO col (gen) VALUES ('BAR ')
----
ERROR 1062 (23000): Duplicate entry 'BAR ' for key 'col.gen'

INSERT INTO col (bin) VALUES ('bar'), ('BAR')
----
ok, 2 rows, Records: 2  Duplicates: 0  Warnings: 0

INSERT INTO col (bin) VALUES ('bar ')
----
ERROR 1062 (23000): Duplicate entry 'bar ' for key 'col.bin'

SELECT ci FROM col WHERE ci = 'BÁR'
----
ci
bar

SELECT bin FROM col WHERE bin = 'bar'
----
bin
bar
