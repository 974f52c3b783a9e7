/** In charge of a transaction on a shard in PostgreSQL: its parts behind the one contract, and its end. */

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
import { Counters } from "./counters.ts";
import { HeldRows } from "./holdings.ts";
import { MatchRows } from "./matches.ts";
import { NamedRows } from "./named.ts";
import { Numbers } from "./numbers.ts";
import type { Partitions } from "./partitions.ts";
import type { Connection } from "./session.ts";

/** How many transactions a reader may miss and still know what changed meanwhile. */
const KEPT_CHANGES = 256;

export class PostgresTransaction implements Transaction {
  readonly #connection: Connection;
  readonly #numbers: { players: Numbers; teams: Numbers };
  readonly #matches: MatchRows;
  readonly #named: NamedRows;
  readonly #counters: Counters;
  readonly #held: HeldRows;
  #hasNewWords = false;

  constructor(connection: Connection, partitions: Partitions) {
    this.#connection = connection;
    this.#numbers = {
      players: new Numbers(connection, "players"),
      teams: new Numbers(connection, "teams"),
    };
    this.#matches = new MatchRows(connection, this.#numbers, partitions);
    this.#named = new NamedRows(connection, this.#numbers);
    this.#counters = new Counters(connection);
    this.#held = new HeldRows(connection);
  }

  /** To be called before the commit: says in the shard what changed, for readers. */
  async conclude(): Promise<void> {
    const { changed, removed } = this.#named;
    const { players, teams } = this.#numbers;
    const tallies = [
      this.#matches.added,
      players.newcomers - removed.players,
      teams.newcomers - removed.teams,
    ];
    const isChanged =
      this.#hasNewWords ||
      changed.players.size + changed.teams.size > 0 ||
      tallies.some((one) => one !== 0);
    if (!isChanged) return;
    const [state] = await this.#connection.rows<{ seq: string }>(
      `UPDATE {state} SET seq = seq + 1, matches = matches + $1::bigint,
         players = players + $2::bigint, teams = teams + $3::bigint RETURNING seq`,
      tallies,
    );
    await this.#connection.run(
      "INSERT INTO {changes} (seq, players, teams) VALUES ($1::bigint, $2::integer[], $3::integer[])",
      [state!.seq, [...changed.players], [...changed.teams]],
    );
    await this.#connection.run("DELETE FROM {changes} WHERE seq <= $1::bigint", [
      Number(state!.seq) - KEPT_CHANGES,
    ]);
  }

  lockPlayers(): void {
    // The one writer of a shard holds everything already.
  }

  known(ids: string[]): Promise<Map<string, { fate: Fate; contentHash: Uint8Array }>> {
    return this.#matches.known(ids);
  }

  load(ids: string[]): Promise<KeptRecord[]> {
    return this.#matches.load(ids);
  }

  records(after: { fate: Fate; match: Spot } | undefined, limit: number): Promise<KeptRecord[]> {
    return this.#held.records(after, limit);
  }

  players(afterId: string, limit: number): Promise<NamedHolding[]> {
    return this.#held.named("players", afterId, limit);
  }

  teams(afterId: string, limit: number): Promise<NamedHolding[]> {
    return this.#held.named("teams", afterId, limit);
  }

  carried(id: string): Promise<Fragment | undefined> {
    return this.#matches.carried(id);
  }

  addServed(matches: MatchEntry[]): Promise<void> {
    return this.#matches.addServed(matches);
  }

  removeServed(matches: MatchEntry[]): Promise<void> {
    return this.#matches.removeServed(matches);
  }

  addWithheld(matches: WithheldEntry[]): Promise<void> {
    return this.#matches.addWithheld(matches);
  }

  removeWithheld(ids: string[]): Promise<void> {
    return this.#matches.removeWithheld(ids);
  }

  playerHistory(playerId: string, limit: number): Promise<HistoryEntry[]> {
    return this.#matches.playerHistory(playerId, limit);
  }

  latestOfTeam(teamId: string): Promise<string | undefined> {
    return this.#matches.latestOfTeam(teamId);
  }

  rankedEvidence(playerIds: string[]): Promise<Map<string, number>> {
    return this.#counters.rankedEvidence(playerIds);
  }

  changeRankedEvidence(changes: ReadonlyMap<string, number>): Promise<void> {
    return this.#counters.changeRankedEvidence(changes);
  }

  dependents(playerIds: string[]): Promise<string[]> {
    return this.#counters.dependents(playerIds);
  }

  addDependents(pairs: [string, string][]): Promise<void> {
    return this.#counters.addDependents(pairs);
  }

  removeDependents(pairs: [string, string][]): Promise<void> {
    return this.#counters.removeDependents(pairs);
  }

  changeVocabulary(changes: ReadonlyMap<string, number>): Promise<void> {
    this.#hasNewWords ||= changes.size > 0;
    return this.#counters.changeVocabulary(changes);
  }

  standings(playerIds: string[]): Promise<Map<string, Standing>> {
    return this.#named.standings(playerIds);
  }

  putPlayers(rows: PlayerRow[]): Promise<void> {
    return this.#named.putPlayers(rows);
  }

  removePlayers(ids: string[]): Promise<void> {
    return this.#named.remove("players", ids);
  }

  putTeams(rows: TeamRow[]): Promise<void> {
    return this.#named.putTeams(rows);
  }

  removeTeams(ids: string[]): Promise<void> {
    return this.#named.remove("teams", ids);
  }
}
