#!/bin/sh
# For cron: nightly_report.sh FABRIC FOLDER [ENGINE].  Writes FOLDER/report.md and FOLDER/check.json, and prints what is new
# since the night before (check --baseline); cron mails what is printed.  Status 0: nothing new.
set -u
ibscope=${IBSCOPE:-ibscope} engine=${3:-minhop} old=$2/check.json
"$ibscope" -R "$engine" -e "report '$2/report.md'" "$1" >/dev/null || exit
status=0
if [ -e "$old" ]; then
	news=$("$ibscope" -R "$engine" -e "check --baseline '$old'" "$1")
	status=$?
	[ $status -eq 0 ] || printf '%s\n' "$news" | grep -E '^(Compared|  new)'
fi
"$ibscope" --json -R "$engine" -e check "$1" >"$old.new"
[ $? -ne 2 ] && mv "$old.new" "$old"
exit $status
