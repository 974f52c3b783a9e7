/**
 * In charge of the tables of a shard in PostgreSQL, as an ordered list of migrations.
 *
 * `num` columns are internal numbers that keep the indexes small; they never leave the adapter. What
 * grows with the matches is partitioned by month (partitions.ts), so every key there has the time in
 * it; `match_ids` leads from an id to the right month. Texts compare bytewise: COLLATE "C".
 */

/** Rows of matches stay in one piece, up to a page: what is compressed already need not be moved out. */
export const PARTITIONED = {
  matches: "WITH (toast_tuple_target = 8160)",
  player_matches: "",
  team_matches: "",
} as const;

const FIRST = `
  CREATE TABLE {matches} (
    created_at    bigint NOT NULL,
    id            text COLLATE "C" NOT NULL,
    game_mode     text COLLATE "C" NOT NULL,
    patch_version text COLLATE "C" NOT NULL,
    content_hash  bytea NOT NULL,
    players       integer[] NOT NULL,
    teams         integer[] NOT NULL,
    sheet         bytea NOT NULL,
    carried       bytea NOT NULL,
    PRIMARY KEY (created_at, id)
  ) PARTITION BY RANGE (created_at);
  ALTER TABLE {matches} ALTER COLUMN sheet SET STORAGE EXTERNAL;
  ALTER TABLE {matches} ALTER COLUMN carried SET STORAGE EXTERNAL;
  CREATE INDEX ON {matches} (game_mode, created_at, id);
  CREATE INDEX ON {matches} (patch_version, created_at, id);

  CREATE TABLE {match_ids} (
    id         text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL
  );

  CREATE TABLE {players} (
    num           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            text COLLATE "C" NOT NULL UNIQUE,
    name          text COLLATE "C",
    seen_at       bigint,
    seen_in       text COLLATE "C",
    run           integer NOT NULL DEFAULT 0,
    played        integer NOT NULL DEFAULT 0,
    wins          integer NOT NULL DEFAULT 0,
    played_ranked integer NOT NULL DEFAULT 0,
    gold          text NOT NULL DEFAULT '0',
    resource      bytea,
    companions    bytea
  ) WITH (fillfactor = 85);
  ALTER TABLE {players} ALTER COLUMN resource SET STORAGE EXTERNAL;
  CREATE INDEX ON {players} (name, id);
  CREATE INDEX ON {players} (seen_at DESC, id);

  CREATE TABLE {teams} (
    num        integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    name       text COLLATE "C",
    resource   bytea,
    companions bytea
  ) WITH (fillfactor = 85);
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

  -- Which players and teams the latest transactions changed: what readers have to forget.
  CREATE TABLE {changes} (
    seq     bigint PRIMARY KEY,
    players integer[] NOT NULL,
    teams   integer[] NOT NULL
  );

  -- One row: the latest of the changes, and how much is served.
  CREATE TABLE {state} (
    seq     bigint NOT NULL,
    matches bigint NOT NULL,
    players bigint NOT NULL,
    teams   bigint NOT NULL
  );
  INSERT INTO {state} VALUES (0, 0, 0, 0);
`;

/** Migration n brings a shard from version n to n + 1. Only ever append. */
export const MIGRATIONS: readonly string[] = [FIRST];
