# begin, commit, rollback, savepoints
CREATE TABLE t (k INT PRIMARY KEY, v INT)
----
ok, 0 rows

BEGIN
----
ok, 0 rows

INSERT INTO t VALUES (1, 1)
----
ok, 1 rows

b> SELECT COUNT(*) FROM t
----
COUNT(*)
0

COMMIT
----
ok, 0 rows

b> SELECT COUNT(*) FROM t
----
COUNT(*)
1

START TRANSACTION
----
ok, 0 rows

INSERT INTO t VALUES (2, 2)
----
ok, 1 rows

ROLLBACK
----
ok, 0 rows

SELECT * FROM t
----
k | v
1 | 1

# a statement that fails half way leaves the transaction as it was
BEGIN
----
ok, 0 rows

INSERT INTO t VALUES (5, 5)
----
ok, 1 rows

INSERT INTO t VALUES (6, 6), (5, 7)
----
ERROR 1062 (23000): Duplicate entry '5' for key 't.PRIMARY'

SELECT * FROM t
----
k | v
1 | 1
5 | 5

COMMIT
----
ok, 0 rows

INSERT INTO t VALUES (7, 7), (1, 1)
----
ERROR 1062 (23000): Duplicate entry '1' for key 't.PRIMARY'

SELECT * FROM t
----
k | v
1 | 1
5 | 5

# savepoints
BEGIN
----
ok, 0 rows

SAVEPOINT p1
----
ok, 0 rows

INSERT INTO t VALUES (10, 10)
----
ok, 1 rows

SAVEPOINT p2
----
ok, 0 rows

INSERT INTO t VALUES (11, 11)
----
ok, 1 rows

ROLLBACK TO SAVEPOINT p2
----
ok, 0 rows

SELECT k FROM t WHERE k > 9
----
k
10

INSERT INTO t VALUES (11, 12)
----
ok, 1 rows

RELEASE SAVEPOINT p1
----
ok, 0 rows

ROLLBACK TO p2
----
ERROR 1305 (42000): SAVEPOINT p2 does not exist

COMMIT
----
ok, 0 rows

SELECT * FROM t WHERE k > 9
----
k | v
10 | 10
11 | 12

ROLLBACK TO p1
----
ERROR 1305 (42000): SAVEPOINT p1 does not exist

# autocommit
SET autocommit = 0
----
ok, 0 rows

INSERT INTO t VALUES (20, 20)
----
ok, 1 rows

b> SELECT COUNT(*) FROM t WHERE k = 20
----
COUNT(*)
0

ROLLBACK
----
ok, 0 rows

SELECT COUNT(*) FROM t WHERE k = 20
----
COUNT(*)
0

INSERT INTO t VALUES (21, 21)
----
ok, 1 rows

SET autocommit = 1
----
ok, 0 rows

b> SELECT COUNT(*) FROM t WHERE k = 21
----
COUNT(*)
1

# a change of the schema ends the transaction
SET autocommit = 0
----
ok, 0 rows

INSERT INTO t VALUES (30, 30)
----
ok, 1 rows

CREATE INDEX v_1 ON t (v)
----
ok, 0 rows

INSERT INTO t VALUES (31, 31)
----
ok, 1 rows

ROLLBACK
----
ok, 0 rows

SELECT k FROM t WHERE k >= 30
----
k
30

b> SELECT k FROM t WHERE v = 30
----
k
30

SET autocommit = 1
----
ok, 0 rows

# isolation levels
SELECT @@transaction_isolation
----
@@transaction_isolation
REPEATABLE-READ

SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
----
ok, 0 rows

SELECT @@session.transaction_isolation
----
@@session.transaction_isolation
READ-COMMITTED

BEGIN
----
ok, 0 rows

SELECT COUNT(*) FROM t
----
COUNT(*)
6

b> INSERT INTO t VALUES (40, 40)
----
ok, 1 rows

SELECT COUNT(*) FROM t
----
COUNT(*)
7

SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
----
ERROR 1568 (25001): Transaction characteristics can't be changed while a transaction is in progress

COMMIT
----
ok, 0 rows

SET TRANSACTION ISOLATION LEVEL REPEATABLE READ
----
ok, 0 rows

BEGIN
----
ok, 0 rows

SELECT COUNT(*) FROM t
----
COUNT(*)
7

b> INSERT INTO t VALUES (41, 41)
----
ok, 1 rows

SELECT COUNT(*) FROM t
----
COUNT(*)
7

COMMIT
----
ok, 0 rows

BEGIN
----
ok, 0 rows

SELECT COUNT(*) FROM t
----
COUNT(*)
8

b> INSERT INTO t VALUES (42, 42)
----
ok, 1 rows

SELECT COUNT(*) FROM t
----
COUNT(*)
9

COMMIT
----
ok, 0 rows

SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE
----
ERROR 1235 (42000): This version of Basalt doesn't yet support 'isolation level SERIALIZABLE'

SET transaction_isolation = 'SERIALIZABLE'
----
ERROR 1235 (42000): This version of Basalt doesn't yet support 'isolation level SERIALIZABLE'

SELECT @@transaction_isolation
----
@@transaction_isolation
READ-COMMITTED

START TRANSACTION READ ONLY
----
ok, 0 rows

INSERT INTO t VALUES (50, 50)
----
ERROR 1792 (25006): Cannot execute statement in a READ ONLY transaction.

SELECT COUNT(*) FROM t
----
COUNT(*)
9

COMMIT
----
ok, 0 rows

START TRANSACTION /*!40100 WITH CONSISTENT SNAPSHOT */
----
ok, 0 rows

b> INSERT INTO t VALUES (51, 51)
----
ok, 1 rows

SELECT COUNT(*) FROM t WHERE k = 51
----
COUNT(*)
1

COMMIT AND CHAIN
----
ok, 0 rows

SELECT COUNT(*) FROM t WHERE k = 51
----
COUNT(*)
1

COMMIT
----
ok, 0 rows
