/** With whom and against whom a player played, and with what result. */

import type { Side } from "./match.ts";
import { GAME_MODES, PRIVATE_MODE } from "./modes.ts";
import type { Result } from "./player.ts";

/** At most this many matches are read, the newest ones. */
export const MAX_COMPANY_MATCHES = 200;

/** Private matches do not count, also when they are served. */
export const COMPANY_MODES: readonly string[] = GAME_MODES.filter((mode) => mode !== PRIVATE_MODE);

export interface CompanyMatch {
  createdAt: number;
  sides: readonly Side[];
}

/** How many matches, and how many of them the player in question won. */
export interface Tally {
  matches: number;
  wins: number;
}

/** Another player of the same matches. */
export interface Companion {
  id: string;
  /** On the same side. */
  with: Tally;
  /** On the other side. */
  against: Tally;
  /** The creation time of the newest match together. */
  lastPlayedAt: number;
}

/**
 * The sides of a match by the results of its players. Undefined if they do not show the sides: both sides won, both
 * lost, or only one has registered players.
 */
export function sidesByResult(
  players: readonly { id: string; result: Result }[],
): Side[] | undefined {
  const won: string[] = [];
  const lost: string[] = [];
  for (const { id, result } of players) {
    if (result === "won") won.push(id);
    if (result === "lost") lost.push(id);
  }
  // A player alone has no company on either side.
  const isClear = (won.length > 0 && lost.length > 0) || won.length + lost.length <= 1;
  if (!isClear) return undefined;
  return [
    { won: true, players: won },
    { won: false, players: lost },
  ];
}

/** Those with the most matches together first, then those of the latest match, then by id. */
export function companyOf(playerId: string, matches: Iterable<CompanyMatch>): Companion[] {
  const found = new Map<string, Companion>();
  for (const { createdAt, sides } of matches) {
    const own = sides.find(({ players }) => players.includes(playerId));
    if (!own) continue;
    for (const side of sides) {
      for (const id of side.players) {
        if (id === playerId) continue;
        const companion = found.get(id) ?? newCompanion(id);
        found.set(id, companion);
        const tally = side === own ? companion.with : companion.against;
        tally.matches += 1;
        if (own.won) tally.wins += 1;
        companion.lastPlayedAt = Math.max(companion.lastPlayedAt, createdAt);
      }
    }
  }
  return [...found.values()].sort(inOrder);
}

const newCompanion = (id: string): Companion => ({
  id,
  with: { matches: 0, wins: 0 },
  against: { matches: 0, wins: 0 },
  lastPlayedAt: Number.NEGATIVE_INFINITY,
});

const together = (companion: Companion) => companion.with.matches + companion.against.matches;

/** Ids are ASCII, so code units compare like bytes. */
function inOrder(one: Companion, other: Companion): number {
  return (
    together(other) - together(one) ||
    other.lastPlayedAt - one.lastPlayedAt ||
    (one.id < other.id ? -1 : 1)
  );
}
