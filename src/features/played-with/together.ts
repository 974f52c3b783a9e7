/** With whom and against whom a player played, and with what result. */

import type { Side } from "../../domain/match.ts";
import type { Result } from "../../domain/streak.ts";

/** At most this many matches are read, the newest ones. */
export const MAX_MATCHES = 200;

/** How many matches, and how many of them the player in question won. */
interface Tally {
  matches: number;
  wins: number;
}

/** Another player of the same matches. */
export interface OtherPlayer {
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
  // A player alone played with nobody.
  const isClear = (won.length > 0 && lost.length > 0) || won.length + lost.length <= 1;
  if (!isClear) return undefined;
  return [
    { won: true, players: won },
    { won: false, players: lost },
  ];
}

/**
 * Those with the most matches together first, then those of the latest match, then by id. The newest match must come
 * first.
 */
export function playedWith(
  ownId: string,
  matches: readonly { createdAt: number; sides: readonly Side[] }[],
): OtherPlayer[] {
  const found = new Map<string, OtherPlayer>();
  for (const { createdAt, sides } of matches) {
    const own = sides.find(({ players }) => players.includes(ownId));
    if (!own) continue;
    for (const side of sides) {
      for (const id of side.players) {
        if (id === ownId) continue;
        const player = found.get(id) ?? {
          id,
          with: { matches: 0, wins: 0 },
          against: { matches: 0, wins: 0 },
          lastPlayedAt: createdAt,
        };
        found.set(id, player);
        const tally = side === own ? player.with : player.against;
        tally.matches += 1;
        if (own.won) tally.wins += 1;
      }
    }
  }
  return [...found.values()].sort(inOrder);
}

const together = (player: OtherPlayer) => player.with.matches + player.against.matches;

/** Ids are ASCII, so code units compare like bytes. */
function inOrder(one: OtherPlayer, other: OtherPlayer): number {
  return (
    together(other) - together(one) ||
    other.lastPlayedAt - one.lastPlayedAt ||
    (one.id < other.id ? -1 : 1)
  );
}
