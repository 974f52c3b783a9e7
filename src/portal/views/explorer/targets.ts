/** What the explorer can request: every endpoint that returns records. */

import { BOARDS } from "../../../domain/leaderboards.ts";
import type { Endpoint } from "../../../query/parameters.ts";

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
    endpoint: "matches",
    path: "/shards/{shard}/matches",
    defaults: [["sort", "-createdAt"]],
  },
  players: { label: "Players", endpoint: "players", path: "/shards/{shard}/players" },
  match: {
    label: "Match by ID",
    endpoint: "single",
    path: "/shards/{shard}/matches/{id}",
    idLabel: "Match ID",
  },
  player: {
    label: "Player by ID",
    endpoint: "single",
    path: "/shards/{shard}/players/{id}",
    idLabel: "Player ID",
  },
  names: { label: "Similar player names", endpoint: "names", path: "/shards/{shard}/player-names" },
  "all-names": { label: "Player names in all regions", endpoint: "names", path: "/player-names" },
  company: {
    label: "Company of a player",
    endpoint: "company",
    path: "/shards/{shard}/players/{id}/company",
    idLabel: "Player ID",
  },
  leaderboard: {
    label: "Leaderboard",
    endpoint: "leaderboards",
    path: "/shards/{shard}/leaderboards/{board}",
    idLabel: "Board",
    ids: BOARDS,
  },
  actors: { label: "Hero statistics", endpoint: "actors", path: "/shards/{shard}/actors" },
  changes: {
    label: "Changes of matches",
    endpoint: "changes",
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
