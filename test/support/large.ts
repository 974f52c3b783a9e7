/** A large shard for tests of cost, with known numbers, and the pages whose cost is measured. */

import type { PageStart } from "../../src/query/query.ts";
import type { MatchEntry, Selection, Writer } from "../../src/store/store.ts";
import { addPlainly, anEntry } from "../conformance/entries.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MONTHS = 5;
const UNTIL = Date.UTC(2026, 5, 30);
const FROM = UNTIL - MONTHS * 30 * DAY_MS;

export const MATCHES = 30_000;
const PLAYERS_A_MATCH = 6;
const PLAYERS = 3000;
const TEAMS = 400;
const BATCH = 5000;

/** Common and rare values of each. */
const MODES = ["ranked", "casual", "blitz_pvp_ranked", "private"];
const PATCHES = ["3.0", "3.1", "3.2", "3.3", "3.4"];
/** Plays in every tenth match. */
const BUSY_PLAYER = "busy";
/** Plays in a few matches, spread over all months. */
const RARE_PLAYER = "rare";

const playerOf = (number: number): string => `p${number % PLAYERS}`;
const teamOf = (number: number): string => `t${number % TEAMS}`;

function matchNumber(number: number): MatchEntry {
  const players = Array.from({ length: PLAYERS_A_MATCH }, (_, at) =>
    playerOf(number * 7 + at * 431),
  );
  if (number % 10 === 0) players.push(BUSY_PLAYER);
  if (number % 1000 === 0) players.push(RARE_PLAYER);
  return anEntry(`m${String(number).padStart(6, "0")}`, {
    createdAt: FROM + Math.floor((number / MATCHES) * (UNTIL - FROM)),
    mode: MODES[number % 97 === 0 ? 3 : number % 3]!,
    // Each patch lasts a month.
    patch: PATCHES[Math.floor((number / MATCHES) * PATCHES.length)]!,
    players: Object.fromEntries([...new Set(players)].map((id) => [id, "won" as const])),
    teams: number % 4 === 0 ? { [teamOf(number / 4)]: true } : {},
  });
}

const matches = Array.from({ length: MATCHES }, (_, number) => matchNumber(number));

/** Fills an empty shard. */
export async function fillLargely(writer: Writer): Promise<void> {
  for (let from = 0; from < MATCHES; from += BATCH) {
    const batch = matches.slice(from, from + BATCH);
    await writer.write((transaction) => addPlainly(transaction, batch));
  }
}

type Filter = Pick<Selection, "players" | "teams" | "gameModes" | "patchVersions">;

export const LIMIT = 5;
/** The default window in the past: there are months before and after it. */
const window = { start: UNTIL - 60 * DAY_MS, end: UNTIL - 32 * DAY_MS };
export const WINDOW = { window };

const middle = (window.start + window.end) / 2;
export const PAGE_STARTS: PageStart[] = [
  { from: "offset", offset: 0 },
  { from: "after", gap: { createdAt: middle, id: "m", side: "after" } },
  { from: "before", gap: { createdAt: middle, id: "m", side: "before" } },
];

const none: Filter = { players: [], teams: [], gameModes: undefined, patchVersions: undefined };
const some = Array.from({ length: 6 }, (_, at) => playerOf(at * 11));

/** Not a player of the large shard. */
export const STRANGER = "stranger";

/** With the number of values of each. */
export const SINGLE_FILTERS: [name: string, filter: Filter, values: number][] = [
  ["no filter", none, 1],
  ["one player", { ...none, players: [[playerOf(5)]] }, 1],
  ["one player of many matches", { ...none, players: [[BUSY_PLAYER]] }, 1],
  ["one player of few matches", { ...none, players: [[RARE_PLAYER]] }, 1],
  ["nobody", { ...none, players: [[STRANGER]] }, 1],
  ["six players", { ...none, players: [some] }, 6],
  ["one team", { ...none, teams: [[teamOf(3)]] }, 1],
  ["two teams", { ...none, teams: [[teamOf(3), teamOf(4)]] }, 2],
  ["a common mode", { ...none, gameModes: [MODES[0]!] }, 1],
  ["a rare mode", { ...none, gameModes: [MODES[3]!] }, 1],
  ["all modes", { ...none, gameModes: MODES }, MODES.length],
  ["a patch", { ...none, patchVersions: [PATCHES[3]!] }, 1],
  ["a patch of another time", { ...none, patchVersions: [PATCHES[0]!] }, 1],
  ["all patches", { ...none, patchVersions: PATCHES }, PATCHES.length],
];

export const COMBINATIONS: [name: string, filter: Filter][] = [
  [
    "few matches of a player, a common mode",
    { ...none, players: [[RARE_PLAYER]], gameModes: [MODES[0]!] },
  ],
  ["a player, a mode", { ...none, players: [[playerOf(5)]], gameModes: [MODES[3]!] }],
  ["a rare mode, a patch", { ...none, gameModes: [MODES[3]!], patchVersions: [PATCHES[3]!] }],
  [
    "a player of many matches, a patch of another time",
    { ...none, players: [[BUSY_PLAYER]], patchVersions: [PATCHES[0]!] },
  ],
  ["players together", { ...none, players: [[BUSY_PLAYER], [playerOf(70)]] }],
  ["a team, a player", { ...none, players: [[BUSY_PLAYER]], teams: [[teamOf(3)]] }],
  [
    "six players, a mode, a patch",
    { ...none, players: [some], gameModes: [MODES[1]!], patchVersions: [PATCHES[3]!] },
  ],
];

/** The number of matches in the window for each filter, in order. */
export function rowsOf({ players, teams, gameModes, patchVersions }: Filter): number[] {
  const has: ((match: MatchEntry) => boolean)[] = [
    ...players.map(
      (ids) => (match: MatchEntry) => match.players.some(({ id }) => ids.includes(id)),
    ),
    ...teams.map((ids) => (match: MatchEntry) => match.teams.some(({ id }) => ids.includes(id))),
  ];
  if (gameModes) has.push(({ gameMode }) => gameModes.includes(gameMode));
  if (patchVersions) has.push(({ patchVersion }) => patchVersions.includes(patchVersion));
  const inWindow = matches.filter(
    ({ createdAt }) => createdAt >= window.start && createdAt <= window.end,
  );
  return has.map((one) => inWindow.filter(one).length);
}

/**
 * Short and long names that have something in common with nearly all players of the large shard.
 */
export const TYPED_NAMES = ["n", "name of", "nmae of p1234", "mae of p99", "z".repeat(64)];
