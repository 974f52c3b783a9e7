/**
 * The migrations of a shard in PostgreSQL.
 *
 * `num` columns are internal numbers that keep indexes small; they never leave the adapter. The
 * tables that matches are found by are partitioned by month (partitions.ts), so every key there
 * includes the time. The encoded matches are in `match_documents`, by id alone: a statement by id
 * would open every partition and cost twice as much after two years. (It can be partitioned by hash
 * of the id without changing statements.) Texts are compared byte by byte: COLLATE "C".
 */

import { BEFORE_ALL } from "../actor-rows.ts";
import { fillNameIndex } from "./name-index.ts";
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

  -- The numbers of a match's players and teams, and the encoded match (row-encoding.ts).
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

  -- The players and teams changed by recent transactions, for the caches of readers. The token is
  -- unique to a transaction: after a failover, the same seq can belong to another one.
  CREATE TABLE {changes} (
    seq     bigint PRIMARY KEY,
    token   text COLLATE "C" NOT NULL,
    players integer[] NOT NULL,
    teams   integer[] NOT NULL
  );

  -- One row: the last change, the totals, and the last numbers assigned.
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

/** The name index: every current player name under each of its keys (domain/similar-names.ts). */
const NAME_SPOTS = `
  CREATE TABLE {name_spots} (
    spot text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (spot, name)
  );
`;

/**
 * Plain names; a checksum for each row (row-checks.ts). A row of `match_documents` has all that a
 * reader checks: also mode and patch, and whether each player and team took part, in the order of
 * the numbers in `document`. `log_id` and `sequence` identify the last change, and matches created
 * before `pruned_before` were removed.
 */
const CHECKSUMS = `
  ALTER TABLE {sheets} RENAME TO match_documents;
  ALTER INDEX IF EXISTS {sheets_pkey} RENAME TO match_documents_pkey;
  ALTER TABLE {match_documents} RENAME COLUMN served TO document;
  ALTER TABLE {match_documents}
    ADD COLUMN game_mode text COLLATE "C",
    ADD COLUMN patch_version text COLLATE "C",
    ADD COLUMN results bytea,
    ADD COLUMN checksum bigint;
  ALTER TABLE {matches} RENAME COLUMN carried TO snapshot;
  ALTER TABLE {matches} ADD COLUMN checksum bigint;
  ALTER TABLE {players} RENAME COLUMN seen_at TO last_match_at;
  ALTER INDEX IF EXISTS {players_seen_at_id_idx} RENAME TO players_last_match_at_id_idx;
  ALTER TABLE {players} RENAME COLUMN seen_in TO last_match_id;
  ALTER TABLE {players} RENAME COLUMN run TO streak;
  ALTER TABLE {players} RENAME COLUMN companions TO linked;
  ALTER TABLE {players} ADD COLUMN checksum bigint;
  ALTER TABLE {teams} RENAME COLUMN companions TO linked;
  ALTER TABLE {teams} ADD COLUMN checksum bigint;
  ALTER TABLE {withheld} RENAME COLUMN sheet TO document;
  ALTER TABLE {withheld} RENAME COLUMN carried TO snapshot;
  ALTER TABLE {withheld} ADD COLUMN checksum bigint;
  ALTER TABLE {name_spots} RENAME TO name_index;
  ALTER INDEX IF EXISTS {name_spots_pkey} RENAME TO name_index_pkey;
  ALTER TABLE {name_index} RENAME COLUMN spot TO key;
  ALTER TABLE {changes} RENAME COLUMN seq TO sequence;
  ALTER TABLE {changes} ADD COLUMN checksum bigint;
  ALTER TABLE {state} RENAME TO shard;
  ALTER TABLE {shard} RENAME COLUMN seq TO sequence;
  ALTER TABLE {shard}
    ADD COLUMN log_id text COLLATE "C" NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', ''),
    ADD COLUMN pruned_before bigint;
`;

/** Takes time in proportion to the data, so open.ts does it in short transactions (fill-checksums.ts). */
const FILL_CHECKSUMS = "";

/**
 * What pruned records leave behind: for each player, the totals and the latest state after the
 * served ones (null if none was served), and how many records proved the player to be ranked.
 */
const PLAYER_BASE = `
  CREATE TABLE {player_base} (
    id              text COLLATE "C" PRIMARY KEY,
    ranked_evidence integer NOT NULL,
    last_match_at   bigint,
    last_match_id   text COLLATE "C",
    streak          integer,
    played          integer,
    wins            integer,
    played_ranked   integer,
    gold            text,
    snapshot        bytea,
    checksum        bigint NOT NULL
  );
  ALTER TABLE {player_base} ALTER COLUMN snapshot SET STORAGE EXTERNAL;
  CREATE INDEX ON {withheld} (created_at);

  -- Players whose names must not be stored any more.
  CREATE TABLE {redactions} (
    player_id   text COLLATE "C" PRIMARY KEY,
    redacted_at bigint NOT NULL,
    checksum    bigint NOT NULL
  );
`;

/** What each transaction did to the served matches (change-log.ts). */
const MATCH_CHANGES = `
  CREATE TABLE {match_changes} (
    first        bigint PRIMARY KEY,
    count        integer NOT NULL,
    committed_at bigint NOT NULL,
    changes      text NOT NULL,
    checksum     bigint NOT NULL
  );
`;

/**
 * Statistics of actors: sums over the stored matches, and (is_pruned) over those that were pruned; the actor '' counts
 * matches. The columns of `shard` are the key of the last match that is counted, while they are built; null if all are.
 */
const ACTOR_STATS = `
  CREATE TABLE {actor_stats} (
    game_mode     text COLLATE "C" NOT NULL,
    patch_version text COLLATE "C" NOT NULL,
    actor         text COLLATE "C" NOT NULL,
    is_pruned     smallint NOT NULL,
    picks         bigint NOT NULL,
    wins          bigint NOT NULL,
    kills         text NOT NULL,
    deaths        text NOT NULL,
    assists       text NOT NULL,
    gold          text NOT NULL,
    farm          text NOT NULL,
    checksum      bigint NOT NULL,
    PRIMARY KEY (game_mode, patch_version, actor, is_pruned)
  );
  ALTER TABLE {shard} ADD COLUMN counted_at bigint, ADD COLUMN counted_id text COLLATE "C";
  UPDATE {shard} SET counted_at = ${BEFORE_ALL.createdAt}, counted_id = '${BEFORE_ALL.id}' WHERE matches > 0;
`;

/**
 * What leaderboards list players by. `ranked_wins` is null until the ranked matches of a player are
 * counted (ingest/build-boards.ts). `player_recent` has the ranked matches of the 28 days; it has
 * ids, because players with equal scores are listed by id.
 */
const LEADERBOARDS = `
  ALTER TABLE {players}
    ADD COLUMN ranked_wins integer,
    ADD COLUMN skill_tier bigint,
    ADD COLUMN win_rate integer;
  CREATE INDEX ON {players} (skill_tier DESC, id) WHERE skill_tier IS NOT NULL;
  CREATE INDEX ON {players} (ranked_wins DESC, id) WHERE ranked_wins > 0;
  CREATE INDEX ON {players} (win_rate DESC, id) WHERE win_rate IS NOT NULL;
  CREATE INDEX ON {players} (streak DESC, id) WHERE streak > 0;
  CREATE INDEX ON {players} (num) WHERE ranked_wins IS NULL;
  ALTER TABLE {player_base} ADD COLUMN ranked_wins integer;
  CREATE TABLE {player_recent} (
    id       text COLLATE "C" PRIMARY KEY,
    played   integer NOT NULL,
    wins     integer NOT NULL,
    win_rate integer,
    checksum bigint NOT NULL
  );
  CREATE INDEX ON {player_recent} (wins DESC, id) WHERE wins > 0;
  CREATE INDEX ON {player_recent} (win_rate DESC, id) WHERE win_rate IS NOT NULL;
`;

/** The id of the shard, so that its schema is not used as another one. Written when the schema is created (open.ts). */
const SHARD_ID = `ALTER TABLE {shard} ADD COLUMN id text COLLATE "C" NOT NULL DEFAULT '';`;

/** The keys of names have changed: the index is filled again. */
const NAME_KEYS = `DELETE FROM {name_index}; ${SHARD_ID}`;

/** Migration n upgrades a shard from version n to n + 1. Only append. */
export const MIGRATIONS: readonly string[] = [
  FIRST,
  NAME_SPOTS,
  CHECKSUMS,
  FILL_CHECKSUMS,
  PLAYER_BASE,
  MATCH_CHANGES,
  ACTOR_STATS,
  LEADERBOARDS,
  NAME_KEYS,
];

/** The current format. */
export const FORMAT = MIGRATIONS.length;

/** The format in which some rows may lack their checksums. Until then, tables were different. */
export const UNFILLED = MIGRATIONS.indexOf(FILL_CHECKSUMS);

/**
 * The oldest format that is read without a migration (earlier-formats.ts), so that instances can be
 * upgraded one by one.
 */
export const OLDEST_READABLE = 2;

/** Steps after a migration that SQL alone cannot do, by migration number. */
export const COMPLETIONS: ReadonlyMap<number, (connection: Connection) => Promise<void>> = new Map([
  [MIGRATIONS.indexOf(NAME_KEYS), fillNameIndex],
]);
