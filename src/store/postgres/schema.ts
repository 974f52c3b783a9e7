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

/** Of the first format. */
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

  -- The last three before the resource are what leaderboards list players by.
  CREATE TABLE {players} (
    num           integer PRIMARY KEY,
    id            text COLLATE "C" NOT NULL UNIQUE,
    name          text COLLATE "C" NOT NULL,
    last_match_at bigint NOT NULL,
    last_match_id text COLLATE "C" NOT NULL,
    streak        integer NOT NULL,
    played        integer NOT NULL,
    wins          integer NOT NULL,
    played_ranked integer NOT NULL,
    gold          text NOT NULL,
    ranked_wins   integer NOT NULL,
    skill_tier    bigint,
    win_rate      integer,
    resource      bytea NOT NULL,
    linked        bytea,
    checksum      bigint NOT NULL
  ) WITH (fillfactor = 85);
  ALTER TABLE {players} ALTER COLUMN resource SET STORAGE EXTERNAL;
  CREATE INDEX ON {players} (name, id);
  CREATE INDEX ON {players} (last_match_at DESC, id);
  CREATE INDEX ON {players} (skill_tier DESC, id) WHERE skill_tier IS NOT NULL;
  CREATE INDEX ON {players} (ranked_wins DESC, id) WHERE ranked_wins > 0;
  CREATE INDEX ON {players} (win_rate DESC, id) WHERE win_rate IS NOT NULL;
  CREATE INDEX ON {players} (streak DESC, id) WHERE streak > 0;

  CREATE TABLE {teams} (
    num      integer PRIMARY KEY,
    id       text COLLATE "C" NOT NULL UNIQUE,
    name     text COLLATE "C" NOT NULL,
    resource bytea NOT NULL,
    linked   bytea,
    checksum bigint NOT NULL
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
    document      bytea NOT NULL,
    snapshot      bytea NOT NULL,
    checksum      bigint NOT NULL
  );
  CREATE INDEX ON {withheld} (reason);
  CREATE INDEX ON {withheld} (created_at);

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

  -- Every current player name under each of its keys (domain/similar-names.ts).
  CREATE TABLE {name_index} (
    key  text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (key, name)
  );

  -- What pruned records leave behind: for each player, the totals and the latest state after the served ones (null if
  -- none was served), and how many records proved the player to be ranked.
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
    ranked_wins     integer,
    checksum        bigint NOT NULL
  );
  ALTER TABLE {player_base} ALTER COLUMN snapshot SET STORAGE EXTERNAL;

  -- The ranked matches of the 28 days. It has ids, because players with equal scores are listed by id.
  CREATE TABLE {player_recent} (
    id       text COLLATE "C" PRIMARY KEY,
    played   integer NOT NULL,
    wins     integer NOT NULL,
    win_rate integer,
    checksum bigint NOT NULL
  );
  CREATE INDEX ON {player_recent} (wins DESC, id) WHERE wins > 0;
  CREATE INDEX ON {player_recent} (win_rate DESC, id) WHERE win_rate IS NOT NULL;

  -- Statistics of actors: sums over the stored matches, and (is_pruned) over those that were pruned; the actor ''
  -- counts matches.
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

  -- Players whose names must not be stored any more.
  CREATE TABLE {redactions} (
    player_id   text COLLATE "C" PRIMARY KEY,
    redacted_at bigint NOT NULL,
    checksum    bigint NOT NULL
  );

  -- The players and teams changed by recent transactions, for the caches of readers. The token is
  -- unique to a transaction: after a failover, the same sequence can belong to another one.
  CREATE TABLE {changes} (
    sequence bigint PRIMARY KEY,
    token    text COLLATE "C" NOT NULL,
    players  integer[] NOT NULL,
    teams    integer[] NOT NULL,
    checksum bigint NOT NULL
  );

  -- What each transaction did to the served matches (change-log.ts).
  CREATE TABLE {match_changes} (
    first        bigint PRIMARY KEY,
    count        integer NOT NULL,
    committed_at bigint NOT NULL,
    changes      text NOT NULL,
    checksum     bigint NOT NULL
  );

  -- One row: the last change, the totals, and the last numbers assigned. Matches created before pruned_before were
  -- removed.
  CREATE TABLE {shard} (
    sequence      bigint NOT NULL,
    token         text COLLATE "C" NOT NULL,
    matches       bigint NOT NULL,
    players       bigint NOT NULL,
    teams         bigint NOT NULL,
    last_player   integer NOT NULL,
    last_team     integer NOT NULL,
    log_id        text COLLATE "C" NOT NULL,
    pruned_before bigint
  );
  INSERT INTO {shard} VALUES (0, '', 0, 0, 0, 0, 0, replace(gen_random_uuid()::text, '-', ''), NULL);
`;

/** Runs in a transaction of its own. */
export type Migration = (connection: Connection) => Promise<void>;

/** Entry n migrates from the format FIRST_FORMAT + n to the next one. Only append. */
export const MIGRATIONS: readonly Migration[] = [];

/** The current format. */
export const FORMAT = FIRST_FORMAT + MIGRATIONS.length;
