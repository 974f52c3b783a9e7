/** In charge of a transaction on a shard in PostgreSQL: its parts behind the one contract, and its end. */

import { randomBytes } from "node:crypto";
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
import { Appearances } from "./appearances.ts";
import { Counters } from "./counters.ts";
import { HeldRows } from "./holdings.ts";
import { MatchRows } from "./matches.ts";
import { NameIndex } from "./name-index.ts";
import { NamedRows } from "./named.ts";
import { Numbers } from "./numbers.ts";
import type { Partitions } from "./partitions.ts";
import type { Connection } from "./session.ts";

/** How many transactions a reader may miss and still know what changed meanwhile. */
const KEPT_CHANGES = 256;

const TOKEN_BYTES = 12;

export class PostgresTransaction implements Transaction {
  readonly #connection: Connection;
  readonly #numbers: { players: Numbers; teams: Numbers };
  readonly #appearances: Appearances;
  readonly #matches: MatchRows;
  readonly #nameIndex: NameIndex;
  readonly #named: NamedRows;
  readonly #counters: Counters;
  readonly #held: HeldRows;
  #hasWritten = false;

  constructor(connection: Connection, partitions: Partitions) {
    this.#connection = connection;
    this.#numbers = {
      players: new Numbers(connection, "players"),
      teams: new Numbers(connection, "teams"),
    };
    this.#appearances = new Appearances(connection, this.#numbers);
    this.#matches = new MatchRows(connection, this.#numbers, partitions, this.#appearances);
    this.#nameIndex = new NameIndex(connection);
    this.#named = new NamedRows(connection, this.#numbers, this.#nameIndex);
    this.#counters = new Counters(connection);
    this.#held = new HeldRows(connection);
  }

  /**
   * To be called before the commit: says in the shard what changed, for readers. Gives the token by
   * which the transaction is known from then on; undefined when it changed nothing.
   */
  async conclude(): Promise<string | undefined> {
    if (!this.#hasWritten) return undefined;
    await this.#nameIndex.write();
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const { changed, added } = this.#named;
    await this.#connection.run(
      `WITH now AS (
         UPDATE {state} SET seq = seq + 1, token = $1, matches = matches + $2::bigint,
           players = players + $3::bigint, teams = teams + $4::bigint,
           last_player = coalesce($5::integer, last_player),
           last_team = coalesce($6::integer, last_team)
         RETURNING seq),
       past AS (DELETE FROM {changes} WHERE seq <= (SELECT seq FROM now) - ${KEPT_CHANGES})
       INSERT INTO {changes} (seq, token, players, teams)
       SELECT seq, $1, $7::integer[], $8::integer[] FROM now`,
      [
        token,
        this.#matches.added,
        added.players,
        added.teams,
        this.#numbers.players.last ?? null,
        this.#numbers.teams.last ?? null,
        [...changed.players],
        [...changed.teams],
      ],
    );
    return token;
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
    this.#hasWritten ||= matches.length > 0;
    return this.#matches.addServed(matches);
  }

  removeServed(matches: MatchEntry[]): Promise<void> {
    this.#hasWritten ||= matches.length > 0;
    return this.#matches.removeServed(matches);
  }

  addWithheld(matches: WithheldEntry[]): Promise<void> {
    this.#hasWritten ||= matches.length > 0;
    return this.#matches.addWithheld(matches);
  }

  removeWithheld(ids: string[]): Promise<void> {
    this.#hasWritten ||= ids.length > 0;
    return this.#matches.removeWithheld(ids);
  }

  playerHistory(playerId: string, limit: number): Promise<HistoryEntry[]> {
    return this.#appearances.playerHistory(playerId, limit);
  }

  latestOfTeam(teamId: string): Promise<string | undefined> {
    return this.#appearances.latestOfTeam(teamId);
  }

  rankedEvidence(playerIds: string[]): Promise<Map<string, number>> {
    return this.#counters.rankedEvidence(playerIds);
  }

  changeRankedEvidence(changes: ReadonlyMap<string, number>): Promise<void> {
    this.#hasWritten ||= changes.size > 0;
    return this.#counters.changeRankedEvidence(changes);
  }

  dependents(playerIds: string[]): Promise<string[]> {
    return this.#counters.dependents(playerIds);
  }

  addDependents(pairs: [string, string][]): Promise<void> {
    this.#hasWritten ||= pairs.length > 0;
    return this.#counters.addDependents(pairs);
  }

  removeDependents(pairs: [string, string][]): Promise<void> {
    this.#hasWritten ||= pairs.length > 0;
    return this.#counters.removeDependents(pairs);
  }

  changeVocabulary(changes: ReadonlyMap<string, number>): Promise<void> {
    this.#hasWritten ||= changes.size > 0;
    return this.#counters.changeVocabulary(changes);
  }

  standings(playerIds: string[]): Promise<Map<string, Standing>> {
    return this.#named.standings(playerIds);
  }

  putPlayers(rows: PlayerRow[]): Promise<void> {
    this.#hasWritten ||= rows.length > 0;
    return this.#named.putPlayers(rows);
  }

  removePlayers(ids: string[]): Promise<void> {
    this.#hasWritten ||= ids.length > 0;
    return this.#named.remove("players", ids);
  }

  putTeams(rows: TeamRow[]): Promise<void> {
    this.#hasWritten ||= rows.length > 0;
    return this.#named.putTeams(rows);
  }

  removeTeams(ids: string[]): Promise<void> {
    this.#hasWritten ||= ids.length > 0;
    return this.#named.remove("teams", ids);
  }
}
