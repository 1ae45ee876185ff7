CREATE TABLE a (k INT PRIMARY KEY, v INT)
----
ok, 0 rows

CREATE TABLE b (k INT PRIMARY KEY)
----
ok, 0 rows

INSERT INTO a VALUES (1, 1)
----
ok, 1 rows

LOCK TABLES a WRITE, b READ
----
ok, 0 rows

INSERT INTO a VALUES (2, 2), (2, 3)
----
ERROR 1062 (23000): Duplicate entry '2' for key 'a.PRIMARY'

SELECT * FROM a
----
k | v
1 | 1

INSERT INTO b VALUES (1)
----
ERROR 1099 (HY000): Table 'b' was locked with a READ lock and can't be updated

CREATE TABLE c (k INT)
----
ok, 0 rows

LOCK TABLES a READ
----
ok, 0 rows

SELECT COUNT(*) FROM a
----
COUNT(*)
1

SELECT * FROM b
----
ERROR 1100 (HY000): Table 'b' was not locked with LOCK TABLES

other> SET innodb_lock_wait_timeout = 1
----
ok, 0 rows

other> INSERT INTO a VALUES (9, 9)
----
ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction

other> SELECT COUNT(*) FROM a
----
COUNT(*)
1

UNLOCK TABLES
----
ok, 0 rows

other> INSERT INTO a VALUES (9, 9)
----
ok, 1 rows

LOCK TABLES a WRITE
----
ok, 0 rows

/*!40000 ALTER TABLE `a` DISABLE KEYS */
----
ok, 0 rows

INSERT INTO a VALUES (3, 3)
----
ok, 1 rows

/*!40000 ALTER TABLE `a` ENABLE KEYS */
----
ok, 0 rows

other> DELETE FROM a
----
ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction

UNLOCK TABLES
----
ok, 0 rows

other> DELETE FROM a
----
ok, 3 rows

SET NAMES utf8mb4 COLLATE utf8mb4_bin
----
ok, 0 rows

SELECT @@collation_connection
----
@@collation_connection
utf8mb4_bin

DO 1 + 1
----
ok, 0 rows

KILL 99999
----
ERROR 1094 (HY000): Unknown thread id: 99999
