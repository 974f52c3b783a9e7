/** In charge of a transaction on a shard's SQLite file: its parts behind the one contract, and its end. */

import type {
  Fate,
  Fragment,
  HistoryEntry,
  KeptRecord,
  MatchEntry,
  NamedHolding,
  PlayerRow,
  Spot,
  Standing,
  TeamRow,
  Transaction,
  WithheldEntry,
} from "../store.ts";
import { ChangeLog } from "./change-log.ts";
import { Counters } from "./counters.ts";
import { HeldRows } from "./holdings.ts";
import { MatchRows } from "./match-rows.ts";
import { NameIndex } from "./name-index.ts";
import { NamedRows } from "./named-rows.ts";
import { Numbers } from "./numbers.ts";
import type { Statements } from "./statements.ts";
import { Tallies } from "./tallies.ts";

export class SqliteTransaction implements Transaction {
  readonly #changes: ChangeLog;
  readonly #tallies: Tallies;
  readonly #nameIndex: NameIndex;
  readonly #numbers: { players: Numbers; teams: Numbers };
  readonly #matches: MatchRows;
  readonly #named: NamedRows;
  readonly #counters: Counters;
  readonly #held: HeldRows;

  constructor(statements: Statements) {
    this.#changes = new ChangeLog(statements);
    this.#tallies = new Tallies(statements);
    this.#nameIndex = new NameIndex(statements);
    this.#numbers = {
      players: new Numbers(statements, "players", this.#tallies),
      teams: new Numbers(statements, "teams", this.#tallies),
    };
    this.#matches = new MatchRows(statements, this.#numbers, this.#tallies);
    this.#named = new NamedRows(statements, this.#numbers, this.#changes, this.#nameIndex);
    this.#counters = new Counters(statements);
    this.#held = new HeldRows(statements);
  }

  /** To be called before the commit: says in the file what changed, for readers. */
  conclude(): void {
    this.#changes.write();
    this.#tallies.write();
    this.#nameIndex.write();
    this.#named.forget();
  }

  /** To be called when others may have written since, or when what was written here is undone. */
  forgetAll(): void {
    this.#numbers.players.forgetAll();
    this.#numbers.teams.forgetAll();
    this.#changes.forget();
    this.#tallies.forget();
    this.#nameIndex.forget();
    this.#named.forget();
  }

  known(ids: string[]): Map<string, { fate: Fate; contentHash: Uint8Array }> {
    return this.#matches.known(ids);
  }

  load(ids: string[]): KeptRecord[] {
    return this.#matches.load(ids);
  }

  records(after: { fate: Fate; match: Spot } | undefined, limit: number): KeptRecord[] {
    return this.#held.records(after, limit);
  }

  players(afterId: string, limit: number): NamedHolding[] {
    return this.#held.named("players", afterId, limit);
  }

  teams(afterId: string, limit: number): NamedHolding[] {
    return this.#held.named("teams", afterId, limit);
  }

  carried(id: string): Fragment | undefined {
    return this.#matches.carried(id);
  }

  addServed(matches: MatchEntry[]): void {
    this.#matches.addServed(matches);
  }

  removeServed(matches: MatchEntry[]): void {
    this.#matches.removeServed(matches);
  }

  addWithheld(matches: WithheldEntry[]): void {
    this.#matches.addWithheld(matches);
  }

  removeWithheld(ids: string[]): void {
    this.#matches.removeWithheld(ids);
  }

  playerHistory(playerId: string, limit: number): HistoryEntry[] {
    return this.#matches.playerHistory(playerId, limit);
  }

  latestOfTeam(teamId: string): string | undefined {
    return this.#matches.latestOfTeam(teamId);
  }

  rankedEvidence(playerIds: string[]): Map<string, number> {
    return this.#counters.rankedEvidence(playerIds);
  }

  changeRankedEvidence(changes: ReadonlyMap<string, number>): void {
    this.#counters.changeRankedEvidence(changes);
  }

  dependents(playerIds: string[]): string[] {
    return this.#counters.dependents(playerIds);
  }

  addDependents(pairs: [string, string][]): void {
    this.#counters.addDependents(pairs);
  }

  removeDependents(pairs: [string, string][]): void {
    this.#counters.removeDependents(pairs);
  }

  changeVocabulary(changes: ReadonlyMap<string, number>): void {
    this.#counters.changeVocabulary(changes);
  }

  standings(playerIds: string[]): Map<string, Standing> {
    return this.#named.standings(playerIds);
  }

  putPlayers(rows: PlayerRow[]): void {
    this.#named.putPlayers(rows);
  }

  removePlayers(ids: string[]): void {
    this.#named.remove("players", ids);
  }

  putTeams(rows: TeamRow[]): void {
    this.#named.putTeams(rows);
  }

  removeTeams(ids: string[]): void {
    this.#named.remove("teams", ids);
  }
}
