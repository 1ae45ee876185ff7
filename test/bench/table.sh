#!/usr/bin/env bash
# Markdown tables of what compare.sh measured: table.sh FOLDER. Medians over the rounds but the first.
set -euo pipefail
cd "${1:?a folder of compare.sh}"

systems=()
for system in hbase basalt-os basalt-disk; do [ ! -e "$system.tsv" ] || systems+=("$system"); done

# medians COLUMN: NAME, SYSTEM and median, with tabs.
medians() {
  local system
  for system in "${systems[@]}"; do
    awk -F '\t' -v s="$system" -v c="$1" '$2 > 0 { print $1 "\t" s "\t" $c }' "$system.tsv"
  done | sort -t $'\t' -k1,1 -k2,2 -k3,3n | awk -F '\t' -v OFS='\t' '
    function emit() { if (n) print key, n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 }
    { k = $1 OFS $2; if (k != key) { emit(); n = 0; key = k } v[++n] = $3 }
    END { emit() }'
}

names=$(for system in "${systems[@]}"; do cut -f1 "$system.tsv"; done | awk '!seen[$0]++')

# table TITLE COLUMN
table() {
  printf '\n| %s |' "$1"
  printf ' %s |' "${systems[@]}"
  printf ' basalt-os : hbase |\n|---|'
  printf -- '---|%.0s' "${systems[@]}" ratio
  echo
  medians "$2" >.medians
  while read -r name; do
    awk -F '\t' -v name="$name" -v systems="${systems[*]}" -v form="$3" '
      $1 == name { v[$2] = $3 }
      END {
        printf "| %s |", name
        n = split(systems, s, " ")
        for (i = 1; i <= n; i++) printf " %s |", s[i] in v ? sprintf(form, v[s[i]]) : ""
        printf " %s |\n", v["hbase"] && v["basalt-os"] ? sprintf("%.2f", v["basalt-os"] / v["hbase"]) : ""
      }' .medians
  done <<<"$names"
  rm .medians
}
table "server CPU, us an operation" 3 %.1f
table "operations a second" 4 %.0f
printf '\n| peak memory | MiB |\n|---|---|\n'
for system in "${systems[@]}"; do [ ! -e "$system.memory" ] || printf '| %s | %.0f |\n' "$system" "$(cat "$system.memory")"; done
for system in "${systems[@]}"; do
  for file in "$system".isolation.*; do
    if [ -e "$file" ]; then printf '\n%s:\n\n' "$system"; cat "$file"; fi
  done
done
printf '\nload of the machine before and after:\n'
cat uptime
