/** Verifies players and teams against a rebuild from the records. */

import { canonicalList } from "../document/canonical.ts";
import { fragmentText } from "../document/gzip.ts";
import { skillTier } from "../domain/leaderboards.ts";
import type { Named } from "../domain/match.ts";
import { continued, NO_TOTALS, streaks } from "../domain/player.ts";
import { addUp, playerText, teamText } from "../ingest/update-players.ts";
import { isWholeFragment } from "../store/row-checks.ts";
import type { MatchKey, PlayerRow, Standing, StoredState, TeamRow } from "../store/store.ts";
import type { Context } from "./context.ts";
import { carriedOf, outlinesOf } from "./decode.ts";
import type { Expected } from "./expected.ts";

const BATCH = 250;

/** Compares the players whose latest match is one of these, while the records are at hand. */
export async function confirmPlayers(
  state: StoredState,
  served: readonly { match: MatchKey; players: readonly Named[] }[],
  expected: Expected,
): Promise<void> {
  const [first, last] = [served.at(0), served.at(-1)];
  if (!first || !last) return;
  const named = new Map(served.map(({ match, players }) => [match.id, players]));
  for (const row of await state.playersSeen(first.match.createdAt, last.match.createdAt)) {
    const found = named.get(row.latest.matchId)?.find(({ id }) => id === row.id);
    const standing = expected.standings.get(row.id);
    if (!found || !standing) continue;
    if (!wrongStanding(row, standing) && !wrongPlayerText(row, standing, found)) {
      expected.confirm(row.id, standing);
    }
  }
}

/** Those that are not confirmed yet. */
export async function verifyPlayers(context: Context, expected: Expected): Promise<void> {
  const size = Math.min(BATCH, context.rows);
  for (let after = "", isOver = false; !isOver; ) {
    const doubtful: string[] = [];
    await context.step(async (state) => {
      const ids = await state.namedIds("players", after, size);
      isOver = ids.length < size;
      const rows = await state.playerRows(
        ids.filter((id) => !expected.standings.get(id)?.isConfirmed),
      );
      for (const row of rows) {
        const standing = expected.standings.get(row.id);
        if (!standing || (await wrongPart(state, row, standing))) doubtful.push(row.id);
      }
      after = ids.at(-1) ?? after;
      return ids.length;
    });
    for (const id of doubtful) await verifyPlayer(context, id);
  }
}

/** Rebuilds one player in one state: something may have been written since its records were read. */
async function verifyPlayer({ note, survey }: Context, id: string): Promise<void> {
  await survey(async (state) => {
    const [row] = await state.playerRows([id]);
    if (!row) return;
    const standing = await standingOf(state, id);
    if (!standing) {
      note("players", id, `player ${id} is in no served match: the player should not be served`);
      return;
    }
    const wrong = await wrongPart(state, row, standing);
    if (wrong)
      note(
        "players",
        id,
        `player ${id} has ${wrong} that the served matches do not give: responses with the player are wrong`,
      );
  });
}

const RECORDS_AT_A_TIME = 50;

async function standingOf(state: StoredState, id: string): Promise<Standing | undefined> {
  const history = await state.playerHistory(id, Number.MAX_SAFE_INTEGER);
  const [latest] = history;
  // Pruned matches still count.
  const base = (await state.basesOf([id])).get(id)?.standing;
  if (!latest) return base;
  let totals = base?.totals ?? NO_TOTALS;
  for (let at = 0; at < history.length; at += RECORDS_AT_A_TIME) {
    const ids = history.slice(at, at + RECORDS_AT_A_TIME).map(({ matchId }) => matchId);
    totals = addUp(id, totals, outlinesOf(await state.load(ids)), 1);
  }
  const run = continued(base?.run ?? 0, streaks(history.map(({ result }) => result)));
  return { totals, run, latest: { createdAt: latest.createdAt, matchId: latest.matchId } };
}

/** What of a player differs from what its standing gives; undefined if nothing does. */
async function wrongPart(
  state: StoredState,
  row: PlayerRow,
  standing: Standing,
): Promise<string | undefined> {
  const wrong = wrongStanding(row, standing);
  if (wrong) return wrong;
  const found =
    (await carriedIn(state, standing.latest.matchId, "players", row.id)) ??
    (await pruned(state, row.id));
  return found ? wrongPlayerText(row, standing, found) : "a latest match";
}

function wrongStanding(row: PlayerRow, { totals, run, latest }: Standing): string | undefined {
  if (row.latest.matchId !== latest.matchId || row.latest.createdAt !== latest.createdAt) {
    return "a latest match";
  }
  if (row.run !== run) return "a streak";
  const { played, wins, playedRanked, rankedWins, gold } = row.totals;
  const isSame =
    played === totals.played &&
    wins === totals.wins &&
    playedRanked === totals.playedRanked &&
    rankedWins === totals.rankedWins &&
    gold === totals.gold;
  return isSame ? undefined : "totals";
}

function wrongPlayerText(row: PlayerRow, { totals, run }: Standing, found: Named) {
  if (row.skillTier !== skillTier(found.carried)) return "a skill tier";
  return wrongText(row, playerText(found.carried, totals, run), found.companions);
}

export async function verifyTeams({ note, step, rows }: Context): Promise<void> {
  const size = Math.min(BATCH, rows);
  for (let after = "", isOver = false; !isOver; ) {
    await step(async (state) => {
      const ids = await state.namedIds("teams", after, size);
      for (const row of await state.teamRows(ids)) {
        const latest = await state.latestOfTeam(row.id);
        const found = latest && (await carriedIn(state, latest, "teams", row.id));
        if (!found) {
          note(
            "teams",
            row.id,
            `team ${row.id} is in no served match: the team should not be served`,
          );
          continue;
        }
        const wrong = wrongText(row, teamText(found.carried), found.companions);
        if (wrong)
          note(
            "teams",
            row.id,
            `team ${row.id} has ${wrong} that its latest match does not have: responses with the team are wrong`,
          );
      }
      after = ids.at(-1) ?? after;
      isOver = ids.length < size;
      return ids.length;
    });
  }
}

/** The player or team as it was in the record of a served match. */
async function carriedIn(
  state: StoredState,
  matchId: string,
  kind: "players" | "teams",
  id: string,
) {
  const snapshot = await state.carried(matchId);
  return snapshot && carriedOf(snapshot)[kind].find((one) => one.id === id);
}

/** A player as it was in its latest match, if that is pruned. */
async function pruned(state: StoredState, id: string) {
  const snapshot = (await state.basesOf([id])).get(id)?.standing?.snapshot;
  return snapshot && carriedOf(snapshot).players.find((one) => one.id === id);
}

function wrongText(
  row: TeamRow,
  { name, resource }: ReturnType<typeof teamText>,
  companions: Parameters<typeof canonicalList>[0],
): string | undefined {
  if (row.name !== name) return "a name";
  // Fragments of lists start with a comma.
  if (textOf(row.resource) !== `,${resource}`) return "a resource";
  const linked = companions.length === 0 ? undefined : canonicalList(companions);
  const stored = row.companions && textOf(row.companions);
  return stored === linked ? undefined : "linked resources";
}

/** Undefined if the header does not fit: its checksum becomes part of responses. */
function textOf(fragment: Uint8Array): string | undefined {
  try {
    return isWholeFragment(fragment) ? fragmentText(fragment) : undefined;
  } catch {
    return undefined;
  }
}
