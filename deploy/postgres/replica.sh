#!/bin/sh
# Copies the primary if there is no copy yet, then follows it.
set -eu

export PGPASSWORD="$REPLICATION_PASSWORD"
copy="$PGDATA.copy"

while [ ! -s "$PGDATA/PG_VERSION" ]; do
  # One that broke off is begun anew.
  rm -rf "$copy"
  if pg_basebackup --host "$PRIMARY_HOST" --port "${PRIMARY_PORT:-5432}" --username replication \
    --pgdata "$copy" --write-recovery-conf --wal-method stream --slot replica --checkpoint fast; then
    # Only a whole copy gets the name that is looked for.
    mv "$copy" "$PGDATA"
  else
    sleep 1
  fi
done
unset PGPASSWORD

exec postgres "$@"
