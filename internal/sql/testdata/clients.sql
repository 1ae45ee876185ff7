# what drivers and tools ask when they connect
SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection, @@character_set_results AS character_set_results, @@character_set_server AS character_set_server, @@collation_server AS collation_server, @@collation_connection AS collation_connection, @@init_connect AS init_connect, @@interactive_timeout AS interactive_timeout, @@license AS license, @@lower_case_table_names AS lower_case_table_names, @@max_allowed_packet AS max_allowed_packet, @@net_write_timeout AS net_write_timeout, @@performance_schema AS performance_schema, @@sql_mode AS sql_mode, @@system_time_zone AS system_time_zone, @@time_zone AS time_zone, @@transaction_isolation AS transaction_isolation, @@wait_timeout AS wait_timeout
----
auto_increment_increment | character_set_client | character_set_connection | character_set_results | character_set_server | collation_server | collation_connection | init_connect | interactive_timeout | license | lower_case_table_names | max_allowed_packet | net_write_timeout | performance_schema | sql_mode | system_time_zone | time_zone | transaction_isolation | wait_timeout
1 | utf8mb4 | utf8mb4 | utf8mb4 | utf8mb4 | utf8mb4_0900_ai_ci | utf8mb4_0900_ai_ci |  | 28800 | GPL | 0 | 67108864 | 60 | 0 | ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES | UTC | SYSTEM | REPEATABLE-READ | 28800

/* mysql-connector-j-8.3.0 (Revision: 05a1f4) */SELECT  @@session.auto_increment_increment AS auto_increment_increment, @@query_cache_size AS query_cache_size, @@query_cache_type AS query_cache_type, @@tx_isolation AS transaction_isolation
----
auto_increment_increment | query_cache_size | query_cache_type | transaction_isolation
1 | 1 | OFF | REPEATABLE-READ

SET NAMES utf8mb4
----
ok, 0 rows

SET NAMES utf8mb4 COLLATE utf8mb4_bin
----
ok, 0 rows

SELECT @@collation_connection
----
@@collation_connection
utf8mb4_bin

SET NAMES default
----
ok, 0 rows

SET CHARACTER SET utf8
----
ok, 0 rows

SET CHARSET utf8mb4
----
ok, 0 rows

SET character_set_results = NULL
----
ok, 0 rows

SET SQL_MODE='STRICT_TRANS_TABLES'
----
ok, 0 rows

SET sql_mode=(SELECT CONCAT(@@sql_mode, ',NO_ZERO_DATE'))
----
ok, 0 rows

SELECT @@sql_mode
----
@@sql_mode
NO_ZERO_DATE,STRICT_TRANS_TABLES

SET autocommit=1, sql_mode = concat(@@sql_mode,',STRICT_TRANS_TABLES')
----
ok, 0 rows

SET @@session.time_zone = '+00:00', @x = 5
----
ok, 0 rows

SELECT @x, DATABASE(), USER(), CURRENT_USER(), CONNECTION_ID() > 0, VERSION()
----
@x | DATABASE() | USER() | CURRENT_USER() | CONNECTION_ID() > 0 | VERSION()
5 | test | root@localhost | root@localhost | 1 | 8.0.36-Basalt

SELECT @@version_comment LIMIT 1
----
@@version_comment
Basalt

SELECT @@global.read_only, @@tx_read_only
----
@@global.read_only | @@tx_read_only
0 | 0

SELECT @@transaction_read_only, @@session.autocommit
----
@@transaction_read_only | @@session.autocommit
0 | 1

SHOW VARIABLES LIKE 'lower_case_%'
----
Variable_name | Value
lower_case_file_system | 0
lower_case_table_names | 0

SHOW VARIABLES WHERE Variable_name IN ('max_allowed_packet','system_time_zone','time_zone','auto_increment_increment','tx_isolation','transaction_isolation')
----
Variable_name | Value
auto_increment_increment | 1
max_allowed_packet | 67108864
system_time_zone | UTC
time_zone | +00:00
transaction_isolation | REPEATABLE-READ
tx_isolation | REPEATABLE-READ

SHOW SESSION STATUS LIKE 'Ssl_cipher'
----
Variable_name | Value
Ssl_cipher | 

SHOW ENGINES
----
Engine | Support | Comment | Transactions | XA | Savepoints
InnoDB | DEFAULT | Supports transactions, row-level locking, and foreign keys | YES | YES | YES

SHOW COLLATION WHERE Charset = 'latin1' AND `Default` = 'Yes'
----
collation | charset | ID | default | compiled | SORTLEN | PAD_ATTRIBUTE
latin1_swedish_ci | latin1 | 8 | Yes | Yes | 1 | PAD SPACE

SHOW CHARACTER SET LIKE 'utf8mb4'
----
Charset | Description | Default collation | Maxlen
utf8mb4 | UTF-8 Unicode | utf8mb4_0900_ai_ci | 4

SHOW WARNINGS
----
Level | Code | Message

SHOW PROCESSLIST
----
Id | User | Host | db | Command | Time | State | Info
2 | root | localhost | NULL | Query | 0 | running | SHOW PROCESSLIST

SHOW GRANTS
----
Grants for root@localhost
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, RELOAD, SHUTDOWN, PROCESS, FILE, REFERENCES, INDEX, ALTER, SHOW DATABASES, SUPER, CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, REPLICATION SLAVE, REPLICATION CLIENT, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ALTER ROUTINE, CREATE USER, EVENT, TRIGGER, CREATE TABLESPACE, CREATE ROLE, DROP ROLE ON *.* TO `root`@`localhost` WITH GRANT OPTION

SHOW FULL TABLES WHERE table_type != 'VIEW'
----
Tables_in_test | Table_type

SHOW TABLE STATUS
----
Name | Engine | Version | Row_format | Rows | Avg_row_length | Data_length | Max_data_length | Index_length | Data_free | Auto_increment | Create_time | Update_time | Check_time | Collation | Checksum | Create_options | Comments

SHOW CREATE DATABASE test
----
Database | Create Database
test | CREATE DATABASE `test` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */

SHOW TRIGGERS
----
Trigger | Event | Table | Statement | Timing | Created | sql_mode | Definer | character_set_client | collation_connection | Database Collation

SHOW PROCEDURE STATUS WHERE Db = 'test'
----
Db | Name | Type | Definer | Modified | Created | Security_type | Comment | character_set_client | collation_connection | Database Collation

SELECT SCHEMA_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA ORDER BY 1
----
SCHEMA_NAME | DEFAULT_COLLATION_NAME
default | utf8mb4_0900_ai_ci
information_schema | utf8mb4_0900_bin
test | utf8mb4_0900_ai_ci

SELECT TABLE_NAME, ENGINE, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'test'
----
TABLE_NAME | ENGINE | TABLE_ROWS

SELECT * FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = 'test'
----
CONSTRAINT_CATALOG | CONSTRAINT_SCHEMA | CONSTRAINT_NAME | TABLE_CATALOG | TABLE_SCHEMA | TABLE_NAME | COLUMN_NAME | ORDINAL_POSITION | POSITION_IN_UNIQUE_CONSTRAINT | REFERENCED_TABLE_SCHEMA | REFERENCED_TABLE_NAME | REFERENCED_COLUMN_NAME

SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS
----
CONSTRAINT_CATALOG | CONSTRAINT_SCHEMA | CONSTRAINT_NAME | UNIQUE_CONSTRAINT_CATALOG | UNIQUE_CONSTRAINT_SCHEMA | UNIQUE_CONSTRAINT_NAME | MATCH_OPTION | UPDATE_RULE | DELETE_RULE | TABLE_NAME | REFERENCED_TABLE_NAME

SELECT * FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'test'
----
TABLE_CATALOG | TABLE_SCHEMA | TABLE_NAME | NON_UNIQUE | INDEX_SCHEMA | INDEX_NAME | SEQ_IN_INDEX | COLUMN_NAME | COLLATION | CARDINALITY | SUB_PART | PACKED | NULLABLE | INDEX_TYPE | COMMENT | INDEX_COMMENT | IS_VISIBLE | EXPRESSION

SELECT GET_LOCK('x', 1), RELEASE_LOCK('x')
----
GET_LOCK('x', 1) | RELEASE_LOCK('x')
1 | 1

LOCK TABLES t READ
----
ERROR 1146 (42S02): Table 'test.t' doesn't exist

UNLOCK TABLES
----
ok, 0 rows

KILL 99999
----
ERROR 1094 (HY000): Unknown thread id: 99999

DO 1
----
ok, 0 rows

SELECT 1 UNION SELECT 2 ORDER BY 1 DESC
----
1
1
2

SELECT ROW_COUNT(), FOUND_ROWS()
----
ROW_COUNT() | FOUND_ROWS()
-1 | 2

PREPARE s1 FROM 'SELECT ? + 1 AS n'
----
ok, 0 rows

SET @a = 41
----
ok, 0 rows

EXECUTE s1 USING @a
----
n
42

DEALLOCATE PREPARE s1
----
ok, 0 rows

EXECUTE s1 USING @a
----
ERROR 1243 (HY000): Unknown prepared statement handler (s1) given to EXECUTE

SELECT 1; SELECT 2
----
ERROR 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELECT 2' at line 1

FLUSH PRIVILEGES
----
ok, 0 rows

CREATE USER 'u'@'%' IDENTIFIED BY 'secret'
----
ok, 0 rows

GRANT SELECT ON test.* TO 'u'@'%'
----
ok, 0 rows

SHOW GRANTS FOR 'u'@'%'
----
Grants for u@%
GRANT USAGE ON *.* TO `u`@`%`
GRANT SELECT ON `test`.* TO `u`@`%`

ALTER USER 'u'@'%' IDENTIFIED WITH mysql_native_password BY 'other'
----
ok, 0 rows

SELECT user, host, plugin FROM mysql.user ORDER BY 1
----
user | host | plugin
root | localhost | mysql_native_password
u | % | mysql_native_password

DROP USER 'u'@'%'
----
ok, 0 rows
