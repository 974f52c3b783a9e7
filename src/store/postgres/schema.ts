/**
 * The tables of a shard in PostgreSQL, and the migrations of formats since the first release.
 *
 * `num` columns are internal numbers that keep indexes small; they never leave the adapter. The
 * tables that matches are found by are partitioned by month (partitions.ts), so every key there
 * includes the time. The encoded matches are in `match_documents`, by id alone: a statement by id
 * would open every partition and cost twice as much after two years. (It can be partitioned by hash
 * of the id without changing statements.) Texts are compared byte by byte: COLLATE "C". Every row
 * has a checksum (row-checks.ts), except for what the check compares with other rows.
 */

import { FIRST_FORMAT } from "../formats.ts";
import type { Connection } from "./session.ts";

/**
 * Keeps match rows inline up to a page: they are already compressed, so TOAST would only move them.
 */
const IN_ONE_PIECE = "WITH (toast_tuple_target = 8160)";

export const PARTITIONED = {
  matches: IN_ONE_PIECE,
  player_matches: "",
  team_matches: "",
} as const;

/** The tables of matches in the first format; tables.ts declares the others. */
export const TABLES = `
  CREATE TABLE {matches} (
    created_at    bigint NOT NULL,
    id            text COLLATE "C" NOT NULL,
    game_mode     text COLLATE "C" NOT NULL,
    patch_version text COLLATE "C" NOT NULL,
    snapshot      bytea NOT NULL,
    checksum      bigint NOT NULL,
    PRIMARY KEY (created_at, id)
  ) PARTITION BY RANGE (created_at);
  ALTER TABLE {matches} ALTER COLUMN snapshot SET STORAGE EXTERNAL;
  CREATE INDEX ON {matches} (game_mode, created_at, id);
  CREATE INDEX ON {matches} (patch_version, created_at, id);

  -- All that a reader checks. The document has the numbers of the players and teams of a match, and the encoded match
  -- (row-encoding.ts). The results say whether each of them took part, in the order of the numbers.
  CREATE TABLE {match_documents} (
    id            text COLLATE "C" PRIMARY KEY,
    created_at    bigint NOT NULL,
    content_hash  bytea NOT NULL,
    document      bytea NOT NULL,
    game_mode     text COLLATE "C" NOT NULL,
    patch_version text COLLATE "C" NOT NULL,
    results       bytea NOT NULL,
    checksum      bigint NOT NULL
  ) ${IN_ONE_PIECE};
  ALTER TABLE {match_documents} ALTER COLUMN document SET STORAGE EXTERNAL;

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
    document      bytea NOT NULL,
    snapshot      bytea NOT NULL,
    checksum      bigint NOT NULL
  );
  CREATE INDEX ON {withheld} (reason);
  CREATE INDEX ON {withheld} (created_at);

`;

/** Runs in a transaction of its own. */
export type Migration = (connection: Connection) => Promise<void>;

/** Entry n migrates from the format FIRST_FORMAT + n to the next one. Only append. */
export const MIGRATIONS: readonly Migration[] = [];

/** The current format. */
export const FORMAT = FIRST_FORMAT + MIGRATIONS.length;
