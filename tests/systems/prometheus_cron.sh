#!/bin/sh
# For cron: prometheus_cron.sh FABRIC FOLDER [ENGINE] writes FOLDER/ibscope.prom for node_exporter's textfile collector.
# The file is replaced when the new one is whole.  If that fails the old one stays, and its
# ibscope_reading_timestamp_seconds tells how old it is.
set -eu
umask 022
"${IBSCOPE:-ibscope}" -R "${3:-minhop}" -e "export prometheus '$2/ibscope.prom' most=20" "$1" >/dev/null
