#!/usr/bin/env bash
# The outcome of suite.sh as Markdown: a row for each class of classes.txt that LOGS has results of, in its
# groups, and what failed with the reason given in known.txt beside this script.
#
#   table.sh LOGS              prints it
#   table.sh LOGS FILE NAME    puts it into FILE, between the lines <!-- NAME --> and <!-- end of NAME -->
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
logs=${1:?the LOGS folder of suite.sh}
if [ $# = 3 ]; then
  made=$("$0" "$logs")
  awk -v name="$3" -v made="$made" '
    $0 == "<!-- end of " name " -->" { inside = 0; ended = 1 }
    !inside { print }
    $0 == "<!-- " name " -->" { print made; inside = 1 }
    END { exit !ended }' "$2" >"$2.new" || { rm "$2.new"; echo "$2 has no place for $3" >&2; exit 1; }
  mv "$2.new" "$2"
  exit
fi

passed=0 failed=0 skipped=0 title=
while IFS= read -r line; do
  case $line in
    '# The classes'*) ;;
    '# '*) title=${line#\# } ;;
    '') ;;
    *)
      [ -e "$logs/$line.tsv" ] || continue
      [ -z "$title" ] || printf '\n**%s**\n\n| class | passed | failed | skipped |\n|---|---|---|---|\n' "$title"
      title=
      IFS=$'\t' read -r _ _ p f s _ < <(grep ^TOTAL "$logs/$line.tsv")
      printf '| %s | %s | %s | %s |\n' "$line" "$p" "$f" "$s"
      passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) ;;
  esac
done <"$here/classes.txt"
printf '\nIn all: %s passed, %s failed, %s skipped.\n' $passed $failed $skipped

printf '\n| failed | why |\n|---|---|\n'
for tsv in "$logs"/*.tsv; do
  class=$(basename "$tsv" .tsv)
  awk -F'\t' -v c="$class" '$1 == "FAIL" { sub(/\[.*/, "", $2); print c "#" $2 }' "$tsv"
done | sort -u | while IFS= read -r one; do
  why=$(awk -v one="$one" '$1 == one { sub(/^[^ ]+ +/, ""); print }' "$here/known.txt")
  printf '| %s | %s |\n' "$one" "${why:-**no reason given**}"
done
