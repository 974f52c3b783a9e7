/** Updates the totals, streaks and latest state of players and teams when served matches are added or removed. */

import { canonicalList, canonicalResource } from "../document/canonical.ts";
import { writeFollowing, writeFragment } from "../document/fragment.ts";
import { fragmentText } from "../document/join-pieces.ts";
import { namedIn, packPlayer, packPlayerOf } from "../document/record.ts";
import { type Named, resultOf } from "../domain/match.ts";
import { RANKED_MODE } from "../domain/modes.ts";
import { fold, NO_TOTALS, playerResource, type Totals } from "../domain/player.ts";
import { skillTier } from "../domain/rank.ts";
import { continued, lengthen, streaks } from "../domain/streak.ts";
import type {
  Fragment,
  NamedFragments,
  PlayerBase,
  PlayerRow,
  Standing,
  Transaction,
} from "../store/store.ts";
import type { Outline, StoredRecord } from "./prepare.ts";

/**
 * Players and teams that changed and are not written yet: a rebuild applies many batches in one transaction, and writes each
 * of them once.
 */
export class PendingNamed {
  /** With the players and teams as they are in the latest match. */
  readonly players = new Map<string, Standing & { snapshot: Fragment }>();
  readonly teams = new Set<string>();

  async write(transaction: Transaction): Promise<void> {
    let rows: PlayerRow[] = [];
    for (const [snapshot, those] of Map.groupBy(this.players, ([, one]) => one.snapshot)) {
      const carried = fragmentText(snapshot);
      for (const [id, standing] of those)
        rows.push(playerRow(id, standing, namedIn(carried, "player", id)));
      if (rows.length < ROWS_AT_ONCE) continue;
      await transaction.putPlayers(rows);
      rows = [];
    }
    await transaction.putPlayers(rows);
    await refreshTeams(transaction, [...this.teams], []);
    this.players.clear();
    this.teams.clear();
  }
}

const ROWS_AT_ONCE = 1000;

export async function updatePlayers(
  transaction: Transaction,
  came: StoredRecord[],
  left: StoredRecord[],
  pending?: PendingNamed,
): Promise<void> {
  const gained = outlinesByPlayer(came);
  const lost = outlinesByPlayer(left);
  const ids = [...new Set([...gained.keys(), ...lost.keys()])];
  const stored = await transaction.standings(ids.filter((id) => !pending?.players.has(id)));
  const records = new Carriers(transaction, came);
  const rows: PlayerRow[] = [];
  const gone: string[] = [];
  for (const id of ids) {
    const before = pending?.players.get(id) ?? stored.get(id);
    const more = gained.get(id) ?? [];
    const fewer = lost.get(id) ?? [];
    const totals = addUp(id, addUp(id, before?.totals ?? NO_TOTALS, fewer, -1), more, 1);
    const now =
      fewer.length === 0 && areLater(more, before?.latest)
        ? extendRun(id, before, more)
        : await recomputeRun(transaction, id);
    if (!now) {
      gone.push(id);
      continue;
    }
    const { latest, run, snapshot } = now;
    const standing = { totals, latest, run };
    if (pending) {
      const fragment = snapshot ?? (await records.fragment(latest.matchId));
      pending.players.set(id, { ...standing, snapshot: fragment });
      continue;
    }
    const carried = snapshot ? fragmentText(snapshot) : await records.text(latest.matchId);
    rows.push(playerRow(id, standing, namedIn(carried, "player", id)));
  }
  await transaction.putPlayers(rows);
  for (const id of gone) pending?.players.delete(id);
  await transaction.removePlayers(gone);
}

function playerRow(
  id: string,
  { totals, latest, run }: Standing,
  { carried, companions }: Pick<Named, "carried" | "companions">,
): PlayerRow {
  const served = fragments({ carried: playerResource(carried, totals, run), companions });
  return { id, totals, latest, run, skillTier: skillTier(carried), ...served };
}

/** Adds what pruned records left behind, before any record of these players. Players who have a base keep it. */
export async function addBases(transaction: Transaction, given: PlayerBase[]): Promise<void> {
  const there = await transaction.basesOf(given.map(({ id }) => id));
  const bases = given.filter(({ id }) => !there.has(id));
  await transaction.putBases(bases);
  const evidence = bases.filter(({ rankedEvidence }) => rankedEvidence > 0);
  await transaction.changeRankedEvidence(
    new Map(evidence.map(({ id, rankedEvidence }) => [id, rankedEvidence])),
  );
  const rows = bases.flatMap(({ id, standing }) => {
    if (!standing) return [];
    const { snapshot, ...reached } = standing;
    return playerRow(id, reached, namedIn(fragmentText(snapshot), "player", id));
  });
  await transaction.putPlayers(rows);
}

/** Replaces the state in which pruned records left players, who may still be served as they were there. */
export async function changeSnapshots(
  transaction: Transaction,
  playerIds: string[],
  change: (player: Named) => Named,
): Promise<void> {
  const standings = await transaction.standings(playerIds);
  const bases: PlayerBase[] = [];
  const rows: PlayerRow[] = [];
  for (const base of (await transaction.basesOf(playerIds)).values()) {
    if (!base.standing) continue;
    const { id, standing } = base;
    const changed = change(namedIn(fragmentText(standing.snapshot), "player", id));
    bases.push({ ...base, standing: { ...standing, snapshot: packPlayer(changed) } });
    const now = standings.get(id);
    if (now?.latest.matchId === standing.latest.matchId) rows.push(playerRow(id, now, changed));
  }
  await transaction.putBases(bases);
  await transaction.putPlayers(rows);
}

/** What is left of the players once these records are pruned, which are the oldest. */
export async function foldIntoBases(
  transaction: Transaction,
  served: StoredRecord[],
  evidence: ReadonlyMap<string, number>,
): Promise<void> {
  const pruned = outlinesByPlayer(served);
  const records = new Map(served.map(({ outline, carried }) => [outline.id, carried]));
  const ids = [...new Set([...pruned.keys(), ...evidence.keys()])];
  const bases = await transaction.basesOf(ids);
  const folded = ids.map((id): PlayerBase => {
    const base = bases.get(id) ?? { id, rankedEvidence: 0, standing: undefined };
    const rankedEvidence = base.rankedEvidence + (evidence.get(id) ?? 0);
    const outlines = pruned.get(id);
    if (!outlines) return { ...base, rankedEvidence };
    const reached = extendRun(id, base.standing, outlines);
    const snapshot = packPlayerOf(records.get(reached.latest.matchId)!, id);
    const totals = addUp(id, base.standing?.totals ?? NO_TOTALS, outlines, 1);
    const standing = { ...reached, totals, snapshot };
    return { id, rankedEvidence, standing };
  });
  await transaction.putBases(folded);
}

export async function updateTeams(
  transaction: Transaction,
  came: StoredRecord[],
  left: StoredRecord[],
  pending?: PendingNamed,
): Promise<void> {
  const named = [...came, ...left].flatMap(({ outline }) => outline.teams.map(({ id }) => id));
  if (!pending) return refreshTeams(transaction, [...new Set(named)], came);
  for (const id of named) pending.teams.add(id);
}

/** A team is served as its latest served match has it. `came` are records at hand. */
async function refreshTeams(
  transaction: Transaction,
  ids: readonly string[],
  came: StoredRecord[],
): Promise<void> {
  const records = new Carriers(transaction, came);
  const rows = [];
  const gone = [];
  for (const id of ids) {
    const matchId = await transaction.latestOfTeam(id);
    if (!matchId) {
      gone.push(id);
      continue;
    }
    rows.push({ id, ...fragments(namedIn(await records.text(matchId), "team", id)) });
  }
  await transaction.putTeams(rows);
  await transaction.removeTeams(gone);
}

function outlinesByPlayer(records: StoredRecord[]): Map<string, Outline[]> {
  const found = new Map<string, Outline[]>();
  for (const { outline } of records) {
    for (const { id } of outline.players) {
      const known = found.get(id);
      if (known) known.push(outline);
      else found.set(id, [outline]);
    }
  }
  return found;
}

const partOf = (outline: Outline, id: string) =>
  outline.players.find((player) => player.id === id)!.part;

/** The totals with what these matches add to a player, or without it. */
function addUp(id: string, totals: Totals, outlines: Outline[], times: 1 | -1): Totals {
  for (const outline of outlines) {
    const part = partOf(outline, id);
    if (part) totals = fold(totals, { ...part, ranked: outline.gameMode === RANKED_MODE }, times);
  }
  return totals;
}

type Latest = Standing["latest"];

interface Reached extends Pick<Standing, "latest" | "run"> {
  /** The player in the latest match, if that was pruned. */
  snapshot?: Fragment;
}

/** Whether all of these are later than the latest known match, so that no history is needed. */
function areLater(outlines: Outline[], latest: Latest | undefined): boolean {
  return (
    latest === undefined ||
    outlines.every(
      ({ createdAt, id }) =>
        createdAt > latest.createdAt || (createdAt === latest.createdAt && id > latest.matchId),
    )
  );
}

/** The usual case: continues from the previous state of the player. */
function extendRun(id: string, before: Reached | undefined, later: Outline[]): Reached {
  const inOrder = later.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  let run = before?.run ?? 0;
  for (const outline of inOrder) run = lengthen(run, resultOf(partOf(outline, id)));
  const { createdAt, id: matchId } = inOrder.at(-1)!;
  return { run, latest: { createdAt, matchId } };
}

/** Most runs are short; longer ones are read in growing steps. */
const FIRST_LOOK = 16;

/**
 * The latest match and the run of results that ends with it, however long, also into pruned matches; undefined if there
 * is none.
 */
async function recomputeRun(transaction: Transaction, id: string): Promise<Reached | undefined> {
  for (let limit = FIRST_LOOK; ; limit *= 8) {
    const history = await transaction.playerHistory(id, limit);
    const results = streaks(history.map(({ result }) => result));
    if (!results.ended && history.length === limit) continue;
    const [latest] = history;
    const base = results.ended ? undefined : (await transaction.basesOf([id])).get(id)?.standing;
    if (!latest) return base && { run: base.run, latest: base.latest, snapshot: base.snapshot };
    const run = continued(base?.run ?? 0, results);
    return { run, latest: { createdAt: latest.createdAt, matchId: latest.matchId } };
  }
}

/** The records with the latest state: usually those of the batch, else read from the store. */
class Carriers {
  readonly #atHand = new Map<string, StoredRecord>();
  readonly #texts = new Map<string, string>();

  constructor(
    private readonly transaction: Transaction,
    atHand: StoredRecord[],
  ) {
    for (const record of atHand) this.#atHand.set(record.outline.id, record);
  }

  async fragment(matchId: string): Promise<Fragment> {
    const atHand = this.#atHand.get(matchId)?.stored.carried;
    return atHand ?? (await this.transaction.carried(matchId))!;
  }

  /** What the record says of players and teams. */
  async text(matchId: string): Promise<string> {
    const known = this.#atHand.get(matchId)?.carried ?? this.#texts.get(matchId);
    if (known !== undefined) return known;
    const text = fragmentText(await this.fragment(matchId));
    this.#texts.set(matchId, text);
    return text;
  }
}

/** What is served of a player or team. */
function fragments({
  carried,
  companions,
}: Pick<Named, "carried" | "companions">): NamedFragments & { name: string } {
  return {
    name: carried.attributes.name as string,
    resource: writeFollowing(canonicalResource(carried)),
    companions: companions.length === 0 ? undefined : writeFragment(canonicalList(companions)),
  };
}
