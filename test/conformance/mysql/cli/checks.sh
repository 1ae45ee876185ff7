#!/usr/bin/env bash
# What people do with the command line clients mysql, mysqldump and mysqladmin: checks against a server.
#
#   checks.sh HOST PORT USER PASSWORD
#
# Prints a line for each check and 'N passed, N failed'.
set -uo pipefail

host=$1 port=$2 user=$3 password=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
login=(--no-defaults --default-character-set=utf8mb4 "--host=$host" "--port=$port" "--user=$user" --protocol=tcp)
[ -z "$password" ] || login+=("--password=$password")
my() { mysql "${login[@]}" --batch --skip-column-names "$@"; }

passed=0 failed=0
check() { # NAME WANT GOT
  if [ "$2" == "$3" ]; then
    passed=$((passed + 1))
    echo "ok $1"
  else
    failed=$((failed + 1))
    echo "FAIL $1: got $(head -c 400 <<<"$3" | tr '\n' '|'), want $(head -c 400 <<<"$2" | tr '\n' '|')"
  fi
}

my -e 'DROP DATABASE IF EXISTS conf_cli; DROP DATABASE IF EXISTS conf_copy; CREATE DATABASE conf_cli CHARACTER SET utf8mb4;
  CREATE DATABASE conf_copy CHARACTER SET utf8mb4'

check 'computes' $'42\tNULL\tx' "$(my -e "SELECT 6 * 7, NULL, 'x'")"
check 'shows a frame' 7 "$(mysql "${login[@]}" --table -e 'SELECT 1 AS a UNION SELECT 2' | wc -l | awk '{ print $1 + 1 }')"
check 'reads a script' $'1\n2' "$(my conf_cli <<'SQL'
-- a comment
CREATE TABLE script (id INT PRIMARY KEY, /* another */ note TEXT);
INSERT INTO script VALUES (1, 'semi;colon'), (2, "quote's");
SELECT id FROM script ORDER BY id;
DROP TABLE script;
SQL
)"
check 'has status' 1 "$(mysql "${login[@]}" -e status 2>&1 | grep -c 'Server version:.*8\.')"
check 'lists databases' $'conf_cli\nconf_copy' "$(my -e "SHOW DATABASES LIKE 'conf\\_c%'")"
check 'tells an error' 'ERROR 1146 (42S02) at line 1: Table '\''conf_cli.nope'\'' doesn'\''t exist' "$(my conf_cli -e 'SELECT * FROM nope' 2>&1 | tail -n 1)"
check 'goes on by force' 2 "$(printf 'SELEC 1;\nSELECT 2;\n' | my --force 2>/dev/null)"
check 'refuses a password' 1045 "$(my --password=wrong -e 'SELECT 1' 2>&1 | grep -o 1045)"
check 'refuses a database' 1049 "$(my nope -e 'SELECT 1' 2>&1 | grep -o 1049)"

check 'makes tables' '' "$(my conf_cli 2>&1 <<'SQL'
CREATE TABLE parents (id INT NOT NULL AUTO_INCREMENT, name VARCHAR(40) NOT NULL, bio TEXT, born DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3),
  wage DECIMAL(12, 2) UNSIGNED DEFAULT '0.50', PRIMARY KEY (id), UNIQUE KEY by_name (name), KEY by_wage (wage, name(5))) COMMENT = 'parents; "all"';
CREATE TABLE children (id BIGINT UNSIGNED PRIMARY KEY, parent INT, kind ENUM('a', 'b c') DEFAULT 'a', flags SET('x', 'y'), data BLOB, doc JSON,
  ok BIT(1), CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES parents (id) ON DELETE CASCADE);
CREATE TABLE blank (id INT, v VARCHAR(10));
INSERT INTO parents (name, bio, born) VALUES ('Ada', 'line\nbreak ''quoted'' \\ back', '2024-02-29 23:59:58.123'), ('世界😀', NULL, '1999-12-31');
INSERT INTO children VALUES (1, 1, 'b c', 'x,y', x'00ff27225c0a0d1a', '{"k": [1, "ü"]}', b'1'), (18446744073709551615, 2, 'a', '', '', NULL, b'0');
CREATE VIEW grown AS SELECT name, wage FROM parents WHERE wage > 0;
SQL
)"
dump() { mysqldump "${login[@]}" --skip-dump-date --hex-blob "$@"; }
dump conf_cli >"$folder/one.sql" 2>"$folder/errors" || true
check 'dumps' '' "$(cat "$folder/errors")"
my conf_copy <"$folder/one.sql" >"$folder/out" 2>&1
check 'loads a dump' '' "$(cat "$folder/out")"
dump conf_copy >"$folder/two.sql" 2>/dev/null
check 'dumps the same again' '' "$(diff <(sed 's/conf_copy/conf_cli/g' "$folder/two.sql") "$folder/one.sql" | head -20)"
check 'dumps rows' 2 "$(grep -c '^INSERT INTO' "$folder/one.sql")"
check 'dumps in one transaction' 0 "$(dump --single-transaction --databases conf_cli conf_copy >"$folder/all.sql" 2>&1; echo $?)"
check 'checks keys after a load' 1452 "$(my conf_copy -e 'INSERT INTO children (id, parent) VALUES (5, 99)' 2>&1 | grep -o 1452)"

check 'quotes what is in an enum' "enum('a','b''c')" "$(my conf_cli -e "CREATE TABLE quoted (k ENUM('a', 'b''c'));" \
  -e "SELECT column_type FROM information_schema.columns WHERE table_schema = 'conf_cli' AND table_name = 'quoted';" -e 'DROP TABLE quoted' 2>&1)"

printf '10\tten\n11\t\\N\n12\tplain\n' >"$folder/lines.txt"
my -e 'SET GLOBAL local_infile = 1'
check 'loads lines' $'10\tten\n11\tNULL\n12\tplain' "$(my --local-infile=1 conf_cli -e "
  LOAD DATA LOCAL INFILE '$folder/lines.txt' INTO TABLE blank; SELECT * FROM blank ORDER BY id" 2>&1)"
printf '13\ttab\\\tbed\n' >"$folder/lines.txt"
check 'loads lines with escapes' $'13\ttab\\tbed' "$(my --local-infile=1 conf_cli -e "
  LOAD DATA LOCAL INFILE '$folder/lines.txt' INTO TABLE blank; SELECT * FROM blank WHERE id = 13" 2>&1)"
my -e 'SET GLOBAL local_infile = 0'
check 'refuses to load lines' 3948 "$(my --local-infile=1 conf_cli -e "LOAD DATA LOCAL INFILE '$folder/lines.txt' INTO TABLE blank" 2>&1 | grep -o 3948)"
check 'compresses' 100000 "$(my --compress -e "SELECT LENGTH('$(head -c 100000 /dev/zero | tr '\0' x)')")"

check 'is alive' 'mysqld is alive' "$(mysqladmin "${login[@]}" ping 2>&1)"
check 'tells how it is' 1 "$(mysqladmin "${login[@]}" status 2>&1 | grep -c '^Uptime: [0-9]')"
check 'lists processes' 1 "$(mysqladmin "${login[@]}" processlist 2>&1 | grep -ci 'show processlist\|process_info\|processlist' | awk '{ print ($1 > 0) }')"
check 'lists variables' 1 "$(mysqladmin "${login[@]}" variables 2>&1 | grep -c '| max_allowed_packet ')"

echo "$passed passed, $failed failed"
