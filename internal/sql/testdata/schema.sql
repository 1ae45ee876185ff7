# changes of a table
CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), KEY a_1 (a))
----
ok, 0 rows

INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y')
----
ok, 2 rows, Records: 2  Duplicates: 0  Warnings: 0

ALTER TABLE t ADD COLUMN c INT NOT NULL DEFAULT 7
----
ok, 0 rows

SELECT * FROM t
----
id | a | b | c
1 | 10 | x | 7
2 | 20 | y | 7

ALTER TABLE t ADD COLUMN d VARCHAR(5) FIRST, ADD COLUMN e DATE AFTER id
----
ok, 0 rows

SELECT * FROM t
----
d | id | e | a | b | c
NULL | 1 | NULL | 10 | x | 7
NULL | 2 | NULL | 20 | y | 7

INSERT INTO t (id, a, c) VALUES (3, 30, 8)
----
ok, 1 rows

ALTER TABLE t DROP COLUMN e, DROP COLUMN d
----
ok, 0 rows

SELECT * FROM t
----
id | a | b | c
1 | 10 | x | 7
2 | 20 | y | 7
3 | 30 | NULL | 8

ALTER TABLE t MODIFY COLUMN a BIGINT NOT NULL
----
ok, 0 rows

SELECT * FROM t WHERE a = 20
----
id | a | b | c
2 | 20 | y | 7

ALTER TABLE t MODIFY COLUMN a VARCHAR(20)
----
ok, 0 rows

SELECT * FROM t WHERE a = '20'
----
id | a | b | c
2 | 20 | y | 7

ALTER TABLE t CHANGE COLUMN a aa INT
----
ok, 0 rows

ALTER TABLE t RENAME COLUMN b TO bb
----
ok, 0 rows

ALTER TABLE t ADD UNIQUE KEY u_1 (bb)
----
ok, 0 rows

INSERT INTO t VALUES (4, 1, 'X', 1)
----
ERROR 1062 (23000): Duplicate entry 'X' for key 't.u_1'

CREATE INDEX c_1 ON t (c, aa)
----
ok, 0 rows

SELECT id FROM t WHERE c = 7 AND aa > 10
----
id
2

DROP INDEX c_1 ON t
----
ok, 0 rows

ALTER TABLE t RENAME INDEX u_1 TO u_2
----
ok, 0 rows

ALTER TABLE t DROP INDEX u_2
----
ok, 0 rows

ALTER TABLE t ALTER COLUMN c SET DEFAULT 99
----
ok, 0 rows

INSERT INTO t (id) VALUES (5)
----
ok, 1 rows

SELECT * FROM t WHERE id = 5
----
id | aa | bb | c
5 | NULL | NULL | 99

ALTER TABLE t DROP PRIMARY KEY
----
ok, 0 rows

ALTER TABLE t ADD PRIMARY KEY (c, id)
----
ok, 0 rows

SHOW CREATE TABLE t
----
Table | Create Table
t | CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `aa` int,\n  `bb` varchar(10),\n  `c` int NOT NULL DEFAULT '99',\n  PRIMARY KEY (`c`,`id`),\n  KEY `a_1` (`aa`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

ALTER TABLE t ADD UNIQUE KEY dup (c)
----
ERROR 1062 (23000): Duplicate entry '7' for key 't.dup'

ALTER TABLE t ADD COLUMN id INT
----
ERROR 1060 (42S21): Column "id" already exists

ALTER TABLE t DROP COLUMN nope
----
ERROR 1054 (42S22): table "t" does not have column "nope"

ALTER TABLE t RENAME TO t2
----
ok, 0 rows

SELECT COUNT(*) FROM t2
----
COUNT(*)
4

RENAME TABLE t2 TO t3
----
ok, 0 rows

reopen
----

SELECT * FROM t3
----
id | aa | bb | c
1 | 10 | x | 7
2 | 20 | y | 7
3 | 30 | NULL | 8
5 | NULL | NULL | 99

CREATE TABLE l LIKE t3
----
ok, 0 rows

SHOW CREATE TABLE l
----
Table | Create Table
l | CREATE TABLE `l` (\n  `id` int NOT NULL,\n  `aa` int,\n  `bb` varchar(10),\n  `c` int NOT NULL DEFAULT '99',\n  PRIMARY KEY (`c`,`id`),\n  KEY `a_1` (`aa`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

CREATE TABLE s AS SELECT id, c + 1 AS d FROM t3
----
ok, 4 rows

SELECT * FROM s
----
id | d
1 | 8
2 | 8
3 | 9
5 | 100

ALTER TABLE s ADD COLUMN n INT AUTO_INCREMENT PRIMARY KEY
----
ok, 0 rows

SELECT * FROM s
----
id | d | n
1 | 8 | 1
2 | 8 | 2
3 | 9 | 3
5 | 100 | 4

# constraints
CREATE TABLE p (id INT PRIMARY KEY, v INT, CHECK (v > 0))
----
ok, 0 rows

INSERT INTO p VALUES (1, 0)
----
ERROR 3819 (HY000): Check constraint 'p_chk_1' is violated.

INSERT INTO p VALUES (1, 1), (2, 2), (3, 3)
----
ok, 3 rows, Records: 3  Duplicates: 0  Warnings: 0

UPDATE p SET v = -1 WHERE id = 1
----
ERROR 3819 (HY000): Check constraint 'p_chk_1' is violated.

CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT, CONSTRAINT fk_p FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE, CONSTRAINT fk_q FOREIGN KEY (q) REFERENCES p (id) ON DELETE SET NULL)
----
ok, 0 rows

INSERT INTO c VALUES (1, 9, NULL)
----
ERROR 1452 (23000): Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `fk_p` FOREIGN KEY (`p`) REFERENCES `p` (`id`) ON DELETE CASCADE ON UPDATE CASCADE)

INSERT INTO c VALUES (1, 1, 3), (2, 2, NULL)
----
ok, 2 rows, Records: 2  Duplicates: 0  Warnings: 0

UPDATE p SET id = 10 WHERE id = 1
----
ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0

SELECT * FROM c
----
id | p | q
1 | 10 | 3
2 | 2 | NULL

DELETE FROM p WHERE id = 3
----
ok, 1 rows

DELETE FROM p WHERE id = 10
----
ok, 1 rows

SELECT * FROM c
----
id | p | q
2 | 2 | NULL

UPDATE c SET p = 77
----
ERROR 1452 (23000): Cannot add or update a child row: a foreign key constraint fails (`test`.`c`, CONSTRAINT `fk_p` FOREIGN KEY (`p`) REFERENCES `p` (`id`) ON DELETE CASCADE ON UPDATE CASCADE)

DROP TABLE p
----
ERROR 3730 (HY000): Cannot drop table 'p' referenced by a foreign key constraint 'fk_p' on table 'c'.

SHOW CREATE TABLE c
----
Table | Create Table
c | CREATE TABLE `c` (\n  `id` int NOT NULL,\n  `p` int,\n  `q` int,\n  PRIMARY KEY (`id`),\n  KEY `fk_p` (`p`),\n  KEY `fk_q` (`q`),\n  CONSTRAINT `fk_p` FOREIGN KEY (`p`) REFERENCES `p` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,\n  CONSTRAINT `fk_q` FOREIGN KEY (`q`) REFERENCES `p` (`id`) ON DELETE SET NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci

CREATE TABLE r (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))
----
ok, 0 rows

INSERT INTO r VALUES (1, 2)
----
ok, 1 rows

DELETE FROM p WHERE id = 2
----
ERROR 1451 (23000): Cannot delete or update a parent row: a foreign key constraint fails (`test`.`r`, CONSTRAINT `r_ibfk_1` FOREIGN KEY (`p`) REFERENCES `p` (`id`))

SET foreign_key_checks = 0
----
ok, 0 rows

DELETE FROM p WHERE id = 2
----
ok, 1 rows

SET foreign_key_checks = 1
----
ok, 0 rows

# generated columns, views, triggers, procedures
CREATE TABLE g (a INT, b INT AS (a * 2) STORED, c INT AS (a + 1) VIRTUAL, KEY (b))
----
ok, 0 rows

INSERT INTO g (a) VALUES (1), (2)
----
ok, 2 rows, Records: 2  Duplicates: 0  Warnings: 0

SELECT * FROM g WHERE b = 4
----
a | b | c
2 | 4 | 3

UPDATE g SET a = 5 WHERE a = 1
----
ok, 1 rows, Rows matched: 1  Changed: 1  Warnings: 0

SELECT * FROM g ORDER BY a
----
a | b | c
2 | 4 | 3
5 | 10 | 6

CREATE VIEW v AS SELECT a, b FROM g WHERE a > 2
----
ok, 0 rows

SELECT * FROM v
----
a | b
5 | 10

CREATE TABLE log (m VARCHAR(20))
----
ok, 0 rows

CREATE TRIGGER tr AFTER INSERT ON g FOR EACH ROW INSERT INTO log VALUES (CONCAT('new ', NEW.a))
----
ok, 0 rows

INSERT INTO g (a) VALUES (8)
----
ok, 1 rows

SELECT * FROM log
----
m
new 8

CREATE PROCEDURE pr(x INT) SELECT a FROM g WHERE a >= x ORDER BY a
----
ok, 0 rows

CALL pr(5)
----
a
5
8

reopen
----

SELECT * FROM v ORDER BY a
----
a | b
5 | 10
8 | 16

INSERT INTO g (a) VALUES (9)
----
ok, 1 rows

SELECT * FROM log
----
m
new 8
new 9

CALL pr(8)
----
a
8
9
