/** In charge of a large shard for tests of cost: several months, and everything in known numbers. */

import type { MatchEntry, Writer } from "../../src/store/store.ts";
import { anEntry, aPlayer, aTeam } from "../conformance/entries.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;
const MONTHS = 5;
export const UNTIL = Date.UTC(2026, 5, 30);
const FROM = UNTIL - MONTHS * 30 * DAY_MS;

export const MATCHES = 30_000;
const PLAYERS_A_MATCH = 6;
const PLAYERS = 3000;
const TEAMS = 400;
const BATCH = 5000;

/** Common ones and rare ones of each. */
export const MODES = ["ranked", "casual", "blitz_pvp_ranked", "private"];
export const PATCHES = ["3.0", "3.1", "3.2", "3.3", "3.4"];
/** A player of every tenth match. */
export const BUSY_PLAYER = "busy";
/** A player of a few matches, spread over all months. */
export const RARE_PLAYER = "rare";

export const playerOf = (number: number): string => `p${number % PLAYERS}`;
export const teamOf = (number: number): string => `t${number % TEAMS}`;

function matchNumber(number: number): MatchEntry {
  const players = Array.from({ length: PLAYERS_A_MATCH }, (_, at) =>
    playerOf(number * 7 + at * 431),
  );
  if (number % 10 === 0) players.push(BUSY_PLAYER);
  if (number % 1000 === 0) players.push(RARE_PLAYER);
  return anEntry(`m${String(number).padStart(6, "0")}`, {
    createdAt: FROM + Math.floor((number / MATCHES) * (UNTIL - FROM)),
    mode: MODES[number % 97 === 0 ? 3 : number % 3]!,
    // A patch lasts for a month, and then is gone.
    patch: PATCHES[Math.floor((number / MATCHES) * PATCHES.length)]!,
    players: Object.fromEntries([...new Set(players)].map((id) => [id, "won" as const])),
    teams: number % 4 === 0 ? { [teamOf(number / 4)]: true } : {},
  });
}

/** Fills an empty shard. */
export async function fillLargely(writer: Writer): Promise<void> {
  for (let from = 0; from < MATCHES; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => matchNumber(from + at));
    await writer.write(async (transaction) => {
      await transaction.addServed(batch);
      const players = new Set(batch.flatMap((match) => match.players.map(({ id }) => id)));
      const teams = new Set(batch.flatMap((match) => match.teams.map(({ id }) => id)));
      await transaction.putPlayers([...players].map((id) => aPlayer(id)));
      await transaction.putTeams([...teams].map((id) => aTeam(id)));
    });
  }
}

/** How many matches of the window have this. */
export function countIn(
  window: { start: number; end: number },
  has: (match: MatchEntry) => boolean,
): number {
  let count = 0;
  for (let number = 0; number < MATCHES; number++) {
    const match = matchNumber(number);
    if (match.createdAt >= window.start && match.createdAt <= window.end && has(match)) count += 1;
  }
  return count;
}
