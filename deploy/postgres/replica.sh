#!/bin/sh
# Copies the primary if there is no copy yet, then starts as its replica.
set -eu

export PGPASSWORD="$REPLICATION_PASSWORD"
copy="$PGDATA.copy"

while [ ! -s "$PGDATA/PG_VERSION" ]; do
  # Removes an incomplete copy.
  rm -rf "$copy"
  if pg_basebackup --host "$PRIMARY_HOST" --port "${PRIMARY_PORT:-5432}" --username replication \
    --pgdata "$copy" --write-recovery-conf --wal-method stream --slot replica --checkpoint fast; then
    # Only a complete copy gets this name.
    mv "$copy" "$PGDATA"
  else
    sleep 1
  fi
done
unset PGPASSWORD

exec postgres "$@"
