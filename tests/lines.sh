#!/bin/sh
# Lines of product C by room: tests/lines.sh [REVISION], without one those of the work tree.
cd "$(dirname "$0")/.." || exit 2
names() {
	if [ -n "$1" ]; then git ls-tree -r --name-only "$1" core engines views tui; else find core engines views tui -type f; fi |
		grep -E '\.[ch]$'
}
names "$1" | while read -r file; do
	case $file in
	core/*/* | engines/*/* | views/*/*) room=${file#*/} room=${file%%/*}/${room%%/*} ;;
	*) room=${file%%/*} ;;
	esac
	if [ -n "$1" ]; then n=$(git show "$1:$file" | wc -l); else n=$(wc -l <"$file"); fi
	echo "$room $n"
done | awk '{ n[$1] += $2; all += $2 } END { for (r in n) printf "%7d %s\n", n[r], r | "sort -k2"; close("sort -k2"); printf "%7d all\n", all }'
