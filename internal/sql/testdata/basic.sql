# tables, rows, indexes
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, k INT NOT NULL DEFAULT 0, c CHAR(20) NOT NULL DEFAULT '', n VARCHAR(10), KEY k_1 (k), UNIQUE KEY n_1 (n))
----
ok, 0 rows

INSERT INTO t (k, c, n) VALUES (1, 'one', 'a'), (2, 'two', 'b'), (2, 'three', NULL), (3, 'four', NULL)
----
ok, 4 rows, id 1, Records: 4  Duplicates: 0  Warnings: 0

SELECT * FROM t
----
id | k | c | n
1 | 1 | one | a
2 | 2 | two | b
3 | 2 | three | NULL
4 | 3 | four | NULL

SELECT id, c FROM t WHERE k = 2 ORDER BY id DESC
----
id | c
3 | three
2 | two

SELECT * FROM t WHERE id BETWEEN 2 AND 3
----
id | k | c | n
2 | 2 | two | b
3 | 2 | three | NULL

SELECT COUNT(*), SUM(k), MAX(c) FROM t
----
COUNT(*) | SUM(k) | MAX(c)
4 | 8 | two

SELECT * FROM t WHERE n = 'A'
----
id | k | c | n
1 | 1 | one | a

INSERT INTO t (k, n) VALUES (9, 'A')
----
ERROR 1062 (23000): Duplicate entry 'A' for key 't.n_1'

INSERT INTO t (id, k) VALUES (1, 1)
----
ERROR 1062 (23000): Duplicate entry '1' for key 't.PRIMARY'

UPDATE t SET k = k + 10 WHERE id = 2
----
ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0

UPDATE t SET k = 1 WHERE id = 1
----
ok, 0 rows, Rows matched: 1  Changed: 0  Warnings: 0

UPDATE t SET n = 'b' WHERE id = 1
----
ERROR 1062 (23000): Duplicate entry 'b' for key 't.n_1'

SELECT * FROM t WHERE k = 12
----
id | k | c | n
2 | 12 | two | b

DELETE FROM t WHERE k = 2
----
ok, 1 rows

SELECT * FROM t
----
id | k | c | n
1 | 1 | one | a
2 | 12 | two | b
4 | 3 | four | NULL

REPLACE INTO t (id, k, n) VALUES (4, 44, 'x'), (7, 7, 'a')
----
ok, 4 rows, id 1

INSERT INTO t (id, k) VALUES (7, 1) ON DUPLICATE KEY UPDATE k = k + 100
----
ok, 2 rows, id 1

INSERT IGNORE INTO t (id, k) VALUES (7, 1), (8, 8)
----
ok, 1 rows, id 8, 1 warnings

SHOW WARNINGS
----
Level | Code | Message
Note | 1062 | duplicate primary key given: Duplicate entry '7' for key 't.PRIMARY'

SELECT * FROM t
----
id | k | c | n
2 | 12 | two | b
4 | 44 |  | x
7 | 107 |  | a
8 | 8 |  | NULL

SELECT LAST_INSERT_ID()
----
LAST_INSERT_ID()
1

reopen
----

SELECT * FROM t WHERE k > 5 ORDER BY k
----
id | k | c | n
8 | 8 |  | NULL
2 | 12 | two | b
4 | 44 |  | x
7 | 107 |  | a

INSERT INTO t (k) VALUES (50)
----
ok, 1 rows, id 9

SHOW CREATE TABLE t
----
Table | Create Table
t | CREATE TABLE `t` (\n  `id` int NOT NULL AUTO_INCREMENT,\n  `k` int NOT NULL DEFAULT '0',\n  `c` char(20) NOT NULL DEFAULT '',\n  `n` varchar(10),\n  PRIMARY KEY (`id`),\n  KEY `k_1` (`k`),\n  UNIQUE KEY `n_1` (`n`)\n) ENGINE=InnoDB AUTO_INCREMENT=10 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

SHOW TABLES
----
Tables_in_test
t

SHOW INDEX FROM t
----
Table | Non_unique | Key_name | Seq_in_index | Column_name | Collation | Cardinality | Sub_part | Packed | Null | Index_type | Comment | Index_comment | Visible | Expression
t | 0 | PRIMARY | 1 | id | NULL | 0 | NULL | NULL |  | BTREE |  |  | YES | NULL
t | 1 | k_1 | 1 | k | NULL | 0 | NULL | NULL |  | BTREE |  |  | YES | NULL
t | 0 | n_1 | 1 | n | NULL | 0 | NULL | NULL | YES | BTREE |  |  | YES | NULL

DESCRIBE t
----
Field | Type | Null | Key | Default | Extra
id | int | NO | PRI | NULL | auto_increment
k | int | NO | MUL | 0 | 
c | char(20) | NO |  |  | 
n | varchar(10) | YES | UNI | NULL | 

SELECT table_name, column_name, column_type, is_nullable, column_key, extra FROM information_schema.columns WHERE table_schema = 'test'
----
TABLE_NAME | COLUMN_NAME | COLUMN_TYPE | IS_NULLABLE | COLUMN_KEY | EXTRA
t | id | int | NO | PRI | auto_increment
t | k | int | NO | MUL | 
t | c | char(20) | NO |  | 
t | n | varchar(10) | YES | UNI | 

SELECT * FROM missing
----
ERROR 1146 (42S02): Table 'test.missing' doesn't exist

SELECT missing FROM t
----
ERROR 1054 (42S22): Unknown column 'missing' in 'field list'

SELEC 1
----
ERROR 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use: syntax error at position 6 near 'SELEC'

USE nowhere
----
ERROR 1049 (42000): Unknown database 'nowhere'

CREATE TABLE t (a INT)
----
ERROR 1050 (42S01): Table 't' already exists

CREATE TABLE IF NOT EXISTS t (a INT)
----
ok, 0 rows, 1 warnings

INSERT INTO t (k) VALUES (NULL)
----
ERROR 1048 (23000): Column 'k' cannot be null

INSERT INTO t VALUES (1)
----
ERROR 1136 (21S01): Column count doesn't match value count at row 1

TRUNCATE TABLE t
----
ok, 0 rows

INSERT INTO t (k) VALUES (1)
----
ok, 1 rows, id 1

SELECT * FROM t
----
id | k | c | n
1 | 1 |  | NULL

DROP TABLE t
----
ok, 0 rows

DROP TABLE t
----
ERROR 1051 (42S02): Unknown table 'test.t'

SELECT * FROM t
----
ERROR 1146 (42S02): Table 'test.t' doesn't exist

# without a primary key
CREATE TABLE h (a INT, b VARCHAR(10))
----
ok, 0 rows

INSERT INTO h VALUES (1, 'x'), (1, 'x'), (2, 'y'), (NULL, NULL)
----
ok, 4 rows, Records: 4  Duplicates: 0  Warnings: 0

DELETE FROM h WHERE a = 1 LIMIT 1
----
ok, 1 rows

SELECT * FROM h
----
a | b
1 | x
2 | y
NULL | NULL

UPDATE h SET b = 'z'
----
ok, 3 rows, Rows matched: 3  Changed: 3  Warnings: 0

SELECT * FROM h
----
a | b
1 | z
2 | z
NULL | z

DELETE FROM h
----
ok, 3 rows

SELECT COUNT(*) FROM h
----
COUNT(*)
0

# databases
CREATE DATABASE d1
----
ok, 1 rows

CREATE DATABASE d1
----
ERROR 1007 (HY000): Can't create database 'd1'; database exists

CREATE TABLE d1.x (a INT PRIMARY KEY)
----
ok, 0 rows

INSERT INTO d1.x VALUES (1)
----
ok, 1 rows

SHOW DATABASES
----
Database
d1
default
information_schema
mysql
test

DROP DATABASE d1
----
ok, 1 rows

SELECT * FROM d1.x
----
ERROR 1049 (42000): Unknown database 'd1'

DROP DATABASE d1
----
ERROR 1008 (HY000): Can't drop database 'd1'; database doesn't exist
