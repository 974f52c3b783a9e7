/** What the explorer can request: every endpoint that returns records. */

import { CHANGES } from "../../../features/changes/parameters.ts";
import { HEROES } from "../../../features/heroes/parameters.ts";
import { LEADERBOARDS } from "../../../features/leaderboards/parameters.ts";
import { BOARDS } from "../../../features/leaderboards/ranking.ts";
import { NAMES } from "../../../features/name-search/parameters.ts";
import { PLAYED_WITH } from "../../../features/played-with/parameters.ts";
import type { Endpoint } from "../../../query/endpoint.ts";
import { MATCHES, PLAYERS, SINGLE } from "../../../query/parameters.ts";

interface TargetRow {
  label: string;
  endpoint: Endpoint;
  /** As in the OpenAPI document. `{id}` and `{board}` are the ID that the query has. */
  path: string;
  /** What the ID is called, if the path has one. */
  idLabel?: string;
  /** The IDs to select from, if there are only these. */
  ids?: readonly string[];
  /** Parameters of a new query. */
  defaults?: readonly (readonly [name: string, value: string])[];
}

export const TARGETS = {
  matches: {
    label: "Matches",
    endpoint: MATCHES,
    path: "/shards/{shard}/matches",
    defaults: [["sort", "-createdAt"]],
  },
  players: { label: "Players", endpoint: PLAYERS, path: "/shards/{shard}/players" },
  match: {
    label: "Match by ID",
    endpoint: SINGLE,
    path: "/shards/{shard}/matches/{id}",
    idLabel: "Match ID",
  },
  player: {
    label: "Player by ID",
    endpoint: SINGLE,
    path: "/shards/{shard}/players/{id}",
    idLabel: "Player ID",
  },
  names: { label: "Similar player names", endpoint: NAMES, path: "/shards/{shard}/player-names" },
  "all-names": { label: "Player names in all regions", endpoint: NAMES, path: "/player-names" },
  "played-with": {
    label: "Whom a player played with",
    endpoint: PLAYED_WITH,
    path: "/shards/{shard}/players/{id}/played-with",
    idLabel: "Player ID",
  },
  leaderboard: {
    label: "Leaderboard",
    endpoint: LEADERBOARDS,
    path: "/shards/{shard}/leaderboards/{board}",
    idLabel: "Board",
    ids: BOARDS,
  },
  heroes: { label: "Hero statistics", endpoint: HEROES, path: "/shards/{shard}/heroes" },
  changes: {
    label: "Changes of matches",
    endpoint: CHANGES,
    path: "/shards/{shard}/changes",
    // Without it, changes begin now, and there are none yet.
    defaults: [["page[after]", "oldest"]],
  },
} as const satisfies Record<string, TargetRow>;

/** Whether the records can be shown as cards or a table; all can be shown as JSON. */
export const hasCards = (on: Target): boolean => /^(?:match|player)/.test(on);

export type Target = keyof typeof TARGETS;

export const TARGET_NAMES = Object.keys(TARGETS) as Target[];

export const targetRow = (on: Target): TargetRow => TARGETS[on];

/** The target of a path in the OpenAPI document, such as `/shards/{shard}/matches`. */
export const targetOfPath = (path: string): Target | undefined =>
  TARGET_NAMES.find((on) => path === TARGETS[on].path);
