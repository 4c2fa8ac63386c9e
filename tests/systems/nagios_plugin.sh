#!/bin/sh
# A plugin for Nagios and Icinga: nagios_plugin.sh FABRIC [ENGINE].  One line, performance data, status 0 to 3.
# `check format nagios` says it all; what fails before it (no such file, no engine) is UNKNOWN here.
ibscope=${IBSCOPE:-ibscope}
[ $# -ge 1 ] || { echo "IBSCOPE UNKNOWN: expected FABRIC [ENGINE]"; exit 3; }
said=$("$ibscope" -R "${2:-minhop}" -e 'check format nagios' "$1" 2>&1)
status=$?
case $said in
"IBSCOPE "*) printf '%s\n' "$said" ;;
*) printf 'IBSCOPE UNKNOWN: %s\n' "$(printf '%s' "$said" | head -1 | tr '|' '/')"; status=3 ;;
esac
exit $status
