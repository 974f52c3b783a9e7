/** In charge of bringing players and teams up to date after matches came into or left the served set. */

import { canonicalList, canonicalResource } from "../document/canonical.ts";
import { writeFragment } from "../document/fragment.ts";
import { restoreRecord } from "../document/record.ts";
import type { MatchRecord, Named } from "../domain/match.ts";
import { RANKED_MODE } from "../domain/modes.ts";
import { fold, playerResource, type Streaks, streaks, type Totals } from "../domain/player.ts";
import type { HistoryEntry, NamedFragments, Transaction } from "../store/store.ts";
import type { Prepared } from "./prepare.ts";

/** Most runs are short; longer ones are read in growing steps. */
const FIRST_LOOK = 16;

export async function refreshPlayers(
  transaction: Transaction,
  came: Prepared[],
  left: Prepared[],
): Promise<void> {
  const totals = await transaction.totals(namedIn("players", came, left));
  for (const { record } of left) addUp(totals, record, -1);
  for (const { record } of came) addUp(totals, record, 1);

  const records = new Carriers(transaction, came);
  const rows = [];
  const gone = [];
  for (const [id, sum] of totals) {
    const { latest, run } = await lookBack(transaction, id);
    if (!latest) {
      gone.push(id);
      continue;
    }
    const named = find((await records.get(latest.matchId)).players, id);
    const resource = playerResource(named.carried, sum, run);
    rows.push({
      id,
      name: resource.attributes.name as string,
      seenAt: latest.createdAt,
      totals: sum,
      ...fragments(named, canonicalResource(resource)),
    });
  }
  await transaction.putPlayers(rows);
  await transaction.removePlayers(gone);
}

/** A team is shown as its latest served match has it. */
export async function refreshTeams(
  transaction: Transaction,
  came: Prepared[],
  left: Prepared[],
): Promise<void> {
  const records = new Carriers(transaction, came);
  const rows = [];
  const gone = [];
  for (const id of namedIn("teams", came, left)) {
    const latest = await transaction.latestOfTeam(id);
    if (!latest) {
      gone.push(id);
      continue;
    }
    const named = find((await records.get(latest)).teams, id);
    const name = named.carried.attributes.name as string;
    rows.push({ id, name, ...fragments(named, canonicalResource(named.carried)) });
  }
  await transaction.putTeams(rows);
  await transaction.removeTeams(gone);
}

function addUp(totals: Map<string, Totals>, record: MatchRecord, times: 1 | -1): void {
  const ranked = record.gameMode === RANKED_MODE;
  for (const { id, part } of record.players) {
    if (part) totals.set(id, fold(totals.get(id)!, { ...part, ranked }, times));
  }
}

/** The latest match and the run of results that ends with it, however long. */
async function lookBack(
  transaction: Transaction,
  playerId: string,
): Promise<{ latest: HistoryEntry | undefined; run: Streaks }> {
  for (let limit = FIRST_LOOK; ; limit *= 8) {
    const history = await transaction.playerHistory(playerId, limit);
    const run = streaks(history.map(({ result }) => result));
    if (run.ended || history.length < limit) return { latest: history[0], run };
  }
}

/** The records that carry the latest state: mostly those at hand, else read from the store. */
class Carriers {
  readonly #records: Map<string, MatchRecord>;

  constructor(
    private readonly transaction: Transaction,
    atHand: Prepared[],
  ) {
    this.#records = new Map(atHand.map(({ record }) => [record.id, record]));
  }

  async get(matchId: string): Promise<MatchRecord> {
    const known = this.#records.get(matchId);
    if (known) return known;
    const [loaded] = await this.transaction.load([matchId]);
    const record = restoreRecord(loaded!.match);
    this.#records.set(matchId, record);
    return record;
  }
}

function namedIn(kind: "players" | "teams", ...groups: Prepared[][]): string[] {
  const ids = groups.flat().flatMap(({ record }) => record[kind].map(({ id }) => id));
  return [...new Set(ids)];
}

function find<T extends Named>(named: T[], id: string): T {
  return named.find((one) => one.id === id)!;
}

function fragments(named: Named, resource: string): NamedFragments {
  return {
    resource: writeFragment(resource),
    companions:
      named.companions.length > 0 ? writeFragment(canonicalList(named.companions)) : undefined,
  };
}
