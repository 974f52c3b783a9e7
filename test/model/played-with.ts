/** The model of whom a player played with: counted from the matches. */

import type { FeatureQuestions } from "./features.ts";
import { AT, windowIn, written } from "./pages.ts";
import { NOT_FOUND, type Question } from "./question.ts";
import { byBytes, type State } from "./state.ts";

const MOST_MATCHES = 200;

/** With whom a player played in a window, as it is served. */
function companyOf(
  state: State,
  player: string,
  window: { start: number; end: number },
  limit: number,
) {
  const all = state
    .played(player)
    .map(({ entry }) => entry)
    .filter(
      ({ id, at, mode }) =>
        at >= window.start &&
        at <= window.end &&
        mode !== "private" &&
        state.match(id) !== undefined,
    );
  const counted = all.slice(-MOST_MATCHES);
  const rows = new Map<string, Tally>();
  for (const { at, sides } of counted) {
    const own = sides.find(({ players }) => players.includes(player))!;
    for (const side of sides) {
      for (const id of side.players) {
        if (id === player) continue;
        const row = rows.get(id) ?? { with: none(), against: none(), last: 0 };
        rows.set(id, row);
        const tally = side === own ? row.with : row.against;
        tally.matches += 1;
        tally.wins += own.won ? 1 : 0;
        row.last = Math.max(row.last, at);
      }
    }
  }
  const total = (row: Tally) => row.with.matches + row.against.matches;
  const data = [...rows]
    .sort(([a, one], [b, two]) => total(two) - total(one) || two.last - one.last || byBytes(a, b))
    .slice(0, limit)
    .map(([id, { last, ...row }]) => ({
      type: "played-with",
      id,
      attributes: { name: state.nameOf(id), ...row, lastPlayedAt: written(last) },
      relationships: { player: { data: { type: "player", id } } },
    }));
  return { data, matches: counted.length, isTruncated: all.length > MOST_MATCHES };
}

interface Tally {
  with: { matches: number; wins: number };
  against: { matches: number; wins: number };
  last: number;
}

const none = () => ({ matches: 0, wins: 0 });

const question = (id: string, limit: number, now: () => number): Question => ({
  kind: "played-with",
  path: `${AT}/players/${id}/played-with?page[limit]=${limit}`,
  isTimed: true,
  expect(current, body) {
    if (!current.player(id)) return NOT_FOUND;
    const window = windowIn(body, now());
    if (!window) return { status: 200, check: () => "the window is not the last 28 days" };
    const { data, matches, isTruncated } = companyOf(current, id, window, limit);
    return { status: 200, data, meta: { matches, window: body.meta.window, isTruncated } };
  },
});

export const playedWith: FeatureQuestions = {
  named: ["played-with"],
  kinds: [
    [
      3,
      ({ chance, often, now }, { playerIds }) =>
        question(often(playerIds) ?? "nobody", chance.pick([3, 20]), now),
    ],
  ],
  every: ({ ids, now }) => ids.map((id) => question(id, 20, now)),
};
