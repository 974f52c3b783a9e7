/** What the shard must contain besides its records, added up while they are read in order. */

import { ActorTally, type ActorTotals, addSums } from "../domain/actors.ts";
import { type DayRange, isWithin, type RankedTally, recentDays } from "../domain/leaderboards.ts";
import { resultOf } from "../domain/match.ts";
import { RANKED_MODE } from "../domain/modes.ts";
import { lengthen, NO_TOTALS } from "../domain/player.ts";
import type { Outline } from "../ingest/prepare.ts";
import { addUp } from "../ingest/update-players.ts";
import { type Codec, SpillingMap } from "../sqlite/spilling-map.ts";
import { actorRow, actorRowKey, totalsOf } from "../store/core/actors.ts";
import type { DependentPair, PlayerBase, Standing } from "../store/store.ts";

/** What a player must be like after the records so far. */
interface Expectation extends Standing {
  /** Whether the stored player is like this. */
  isConfirmed?: true;
}

const STANDING: Codec<Expectation> = {
  write: (standing) =>
    JSON.stringify(standing, (_, value) => (typeof value === "bigint" ? String(value) : value)),
  read(text) {
    const { totals, ...rest } = JSON.parse(text);
    return { ...rest, totals: { ...totals, gold: BigInt(totals.gold) } };
  },
};

const ACTOR: Codec<ActorTotals> = {
  write: (totals) => JSON.stringify(actorRow(totals)),
  read: (text) => totalsOf(JSON.parse(text)),
};

const TALLY: Codec<RankedTally> = { write: JSON.stringify, read: JSON.parse };
const IS_THERE: Codec<true> = { write: () => "", read: () => true };
const COUNT: Codec<number> = { write: String, read: Number };

export class Expected {
  /** By player id. Its memory is bounded, like that of the next. */
  readonly standings: SpillingMap<Expectation>;
  /** How many records prove a player to be ranked. */
  readonly evidence: SpillingMap<number>;
  /** Pairs of a player and a match whose visibility depends on the player. */
  readonly #dependents: SpillingMap<true>;
  /** How many served records have an extra word. */
  readonly words = new Map<string, number>();
  /** The statistics of actors over the served records, by the text of their keys. */
  readonly actors: SpillingMap<ActorTotals>;

  /** The ranked matches of the last 28 days by player id. */
  readonly recent: SpillingMap<RankedTally>;
  #recentDays: DayRange | undefined;

  /** Each map keeps at most this many entries in memory. */
  constructor(maxInMemory?: number) {
    this.standings = new SpillingMap(STANDING, maxInMemory);
    this.evidence = new SpillingMap(COUNT, maxInMemory);
    this.#dependents = new SpillingMap(IS_THERE, maxInMemory);
    this.actors = new SpillingMap(ACTOR, maxInMemory);
    this.recent = new SpillingMap(TALLY, maxInMemory);
  }

  /** What pruned records left behind, before any record. */
  addBase({ id, rankedEvidence, standing }: PlayerBase): void {
    if (rankedEvidence > 0) this.evidence.set(id, rankedEvidence);
    if (!standing) return;
    const { totals, run, latest } = standing;
    this.standings.set(id, { totals, run, latest });
  }

  addRecord({ shownRanked }: Outline, dependents: readonly DependentPair[]): void {
    for (const id of shownRanked) this.evidence.set(id, (this.evidence.get(id) ?? 0) + 1);
    for (const pair of dependents) this.#dependents.set(pair.join(" "), true);
  }

  hasDependent(pair: DependentPair): boolean {
    return this.#dependents.get(pair.join(" ")) !== undefined;
  }

  /** The newest served match, before any record. */
  startRecent(newest: number | undefined): void {
    this.#recentDays = newest === undefined ? undefined : recentDays(newest);
  }

  /** In the order of time and id. */
  addServed(outlines: readonly Outline[]): void {
    const tally = new ActorTally();
    for (const outline of outlines) {
      tally.add(outline, 1);
      this.#addMatch(outline);
    }
    for (const more of tally.totals()) {
      const key = actorRowKey(more);
      const before = this.actors.get(key);
      this.actors.set(key, before ? addSums(before, more) : more);
    }
  }

  #addMatch(outline: Outline): void {
    for (const word of outline.words) this.words.set(word, (this.words.get(word) ?? 0) + 1);
    const isRecent =
      outline.gameMode === RANKED_MODE && isWithin(outline.createdAt, this.#recentDays);
    for (const { id, part } of outline.players) {
      const before = this.standings.get(id);
      this.standings.set(id, {
        totals: addUp(id, before?.totals ?? NO_TOTALS, [outline], 1),
        run: lengthen(before?.run ?? 0, resultOf(part)),
        latest: { createdAt: outline.createdAt, matchId: outline.id },
      });
      if (isRecent && part) {
        const { played, wins } = this.recent.get(id) ?? { played: 0, wins: 0 };
        this.recent.set(id, { played: played + 1, wins: wins + (part.won ? 1 : 0) });
      }
    }
  }

  /** Holds until the player has a later match. */
  confirm(id: string, standing: Standing): void {
    this.standings.set(id, { ...standing, isConfirmed: true });
  }

  close(): void {
    this.standings.close();
    this.evidence.close();
    this.#dependents.close();
    this.actors.close();
    this.recent.close();
  }
}
