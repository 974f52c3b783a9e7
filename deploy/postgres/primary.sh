#!/bin/sh
# Prepares the primary for a replica. The PostgreSQL image runs it once, on an empty volume.
set -eu

# The replication slot keeps WAL that the replica has not read yet; max_slot_wal_keep_size bounds
# it.
psql --set ON_ERROR_STOP=1 --set password="$REPLICATION_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE replication WITH REPLICATION LOGIN PASSWORD :'password';
SELECT pg_create_physical_replication_slot('replica');
SQL

echo "host replication replication all scram-sha-256" >> "$PGDATA/pg_hba.conf"
