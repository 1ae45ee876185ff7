# What mysqldump needs: locks of views, and information_schema while tables are locked.

CREATE TABLE a (id INT PRIMARY KEY, k ENUM('x', 'y''z'))
----
ok, 0 rows

CREATE TABLE b (id INT PRIMARY KEY)
----
ok, 0 rows

CREATE VIEW v AS SELECT a.id FROM a JOIN b ON a.id = b.id
----
ok, 0 rows

CREATE VIEW w AS SELECT id FROM v
----
ok, 0 rows

LOCK TABLES w READ
----
ok, 0 rows

SELECT COUNT(*) FROM w
----
COUNT(*)
0

SELECT COUNT(*) FROM a
----
COUNT(*)
0

UNLOCK TABLES
----
ok, 0 rows

LOCK TABLES b READ, w READ
----
ok, 0 rows

SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'test' ORDER BY table_name
----
TABLE_NAME | TABLE_TYPE
a | BASE TABLE
b | BASE TABLE
v | VIEW
w | VIEW

UNLOCK TABLES
----
ok, 0 rows

LOCK TABLES b READ
----
ok, 0 rows

SELECT table_name FROM information_schema.tables WHERE table_schema = 'test' AND table_name = 'a'
----
TABLE_NAME
a

SELECT COUNT(*) FROM a
----
ERROR 1100 (HY000): Table 'a' was not locked with LOCK TABLES

UNLOCK TABLES
----
ok, 0 rows

ALTER TABLE b ADD COLUMN name INT, ADD COLUMN q INT AFTER name
----
ok, 0 rows
