/**
 * The tables of a shard in PostgreSQL, as an ordered list of migrations.
 *
 * `num` columns are internal numbers that keep the indexes small; they never leave the adapter. What
 * matches are found by is partitioned by month (partitions.ts), so every key there has the time in
 * it. What is shown of a match lies in `sheets`, under its id alone: through the partitions, of which
 * a statement opens every one, a match by id would cost twice as much after two years. (`sheets` may be
 * partitioned by the hash of the id without any change to the statements.) Texts compare bytewise:
 * COLLATE "C".
 */

import { fillNameIndex } from "./name-index.ts";
import type { Connection } from "./session.ts";

/** Rows of matches stay in one piece, up to a page: what is compressed already need not be moved out. */
const IN_ONE_PIECE = "WITH (toast_tuple_target = 8160)";

export const PARTITIONED = {
  matches: IN_ONE_PIECE,
  player_matches: "",
  team_matches: "",
} as const;

const FIRST = `
  CREATE TABLE {matches} (
    created_at    bigint NOT NULL,
    id            text COLLATE "C" NOT NULL,
    game_mode     text COLLATE "C" NOT NULL,
    patch_version text COLLATE "C" NOT NULL,
    carried       bytea NOT NULL,
    PRIMARY KEY (created_at, id)
  ) PARTITION BY RANGE (created_at);
  ALTER TABLE {matches} ALTER COLUMN carried SET STORAGE EXTERNAL;
  CREATE INDEX ON {matches} (game_mode, created_at, id);
  CREATE INDEX ON {matches} (patch_version, created_at, id);

  -- The numbers of those a match names, and its sheet (packing.ts).
  CREATE TABLE {sheets} (
    id           text COLLATE "C" PRIMARY KEY,
    created_at   bigint NOT NULL,
    content_hash bytea NOT NULL,
    served       bytea NOT NULL
  ) ${IN_ONE_PIECE};
  ALTER TABLE {sheets} ALTER COLUMN served SET STORAGE EXTERNAL;

  CREATE TABLE {players} (
    num           integer PRIMARY KEY,
    id            text COLLATE "C" NOT NULL UNIQUE,
    name          text COLLATE "C" NOT NULL,
    seen_at       bigint NOT NULL,
    seen_in       text COLLATE "C" NOT NULL,
    run           integer NOT NULL,
    played        integer NOT NULL,
    wins          integer NOT NULL,
    played_ranked integer NOT NULL,
    gold          text NOT NULL,
    resource      bytea NOT NULL,
    companions    bytea
  ) WITH (fillfactor = 85);
  ALTER TABLE {players} ALTER COLUMN resource SET STORAGE EXTERNAL;
  CREATE INDEX ON {players} (name, id);
  CREATE INDEX ON {players} (seen_at DESC, id);

  CREATE TABLE {teams} (
    num        integer PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    name       text COLLATE "C" NOT NULL,
    resource   bytea NOT NULL,
    companions bytea
  ) WITH (fillfactor = 85);
  ALTER TABLE {teams} ALTER COLUMN resource SET STORAGE EXTERNAL;
  CREATE INDEX ON {teams} (name, id);

  CREATE TABLE {player_matches} (
    player     integer NOT NULL,
    created_at bigint NOT NULL,
    match_id   text COLLATE "C" NOT NULL,
    result     smallint NOT NULL,
    PRIMARY KEY (player, created_at, match_id)
  ) PARTITION BY RANGE (created_at);

  CREATE TABLE {team_matches} (
    team       integer NOT NULL,
    created_at bigint NOT NULL,
    match_id   text COLLATE "C" NOT NULL,
    plays      boolean NOT NULL,
    PRIMARY KEY (team, created_at, match_id)
  ) PARTITION BY RANGE (created_at);

  CREATE TABLE {withheld} (
    id            text COLLATE "C" PRIMARY KEY,
    created_at    bigint NOT NULL,
    game_mode     text COLLATE "C" NOT NULL,
    patch_version text COLLATE "C" NOT NULL,
    reason        text COLLATE "C" NOT NULL,
    content_hash  bytea NOT NULL,
    sheet         bytea NOT NULL,
    carried       bytea NOT NULL
  );
  CREATE INDEX ON {withheld} (reason);

  CREATE TABLE {ranked_evidence} (
    player_id text COLLATE "C" PRIMARY KEY,
    records   integer NOT NULL
  );

  CREATE TABLE {dependents} (
    player_id text COLLATE "C" NOT NULL,
    match_id  text COLLATE "C" NOT NULL,
    PRIMARY KEY (player_id, match_id)
  );

  CREATE TABLE {vocabulary} (
    word    text COLLATE "C" PRIMARY KEY,
    records integer NOT NULL
  );

  -- Which players and teams the latest transactions changed: what readers have to forget. The token
  -- is of that transaction alone: after a failover the same seq may stand for another one.
  CREATE TABLE {changes} (
    seq     bigint PRIMARY KEY,
    token   text COLLATE "C" NOT NULL,
    players integer[] NOT NULL,
    teams   integer[] NOT NULL
  );

  -- One row: the latest of the changes, how much is served, and the last numbers given.
  CREATE TABLE {state} (
    seq         bigint NOT NULL,
    token       text COLLATE "C" NOT NULL,
    matches     bigint NOT NULL,
    players     bigint NOT NULL,
    teams       bigint NOT NULL,
    last_player integer NOT NULL,
    last_team   integer NOT NULL
  );
  INSERT INTO {state} VALUES (0, '', 0, 0, 0, 0, 0);
`;

/** The name index: every name that a player has now, under each of its keys (domain/name-index.ts). */
const NAME_SPOTS = `
  CREATE TABLE {name_spots} (
    spot text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (spot, name)
  );
`;

/** Migration n brings a shard from version n to n + 1. Only ever append. */
export const MIGRATIONS: readonly string[] = [FIRST, NAME_SPOTS];

/** By the number of the migration, what is left to do after it that SQL alone cannot. */
export const COMPLETIONS: ReadonlyMap<number, (connection: Connection) => Promise<void>> = new Map([
  [MIGRATIONS.indexOf(NAME_SPOTS), fillNameIndex],
]);
