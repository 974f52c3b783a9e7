/** One shard: its matches, their changes, players, whom they played with, player names, hero statistics and leaderboards. */

import { followChanges } from "./changes.ts";
import { withoutRecords } from "./failures.ts";
import type {
  HeroList,
  Leaderboard,
  MatchList,
  NameList,
  PlayedWithList,
  PlayerList,
  SingleMatch,
  SinglePlayer,
} from "./generated.ts";
import { type List, linkedList, linkedOne, listWithMeta } from "./graph.ts";
import type { CallOptions } from "./options.ts";
import { Pages } from "./pages.ts";
import {
  CHANGES_TABLE,
  type ChangesQuery,
  type Everything,
  HEROES_TABLE,
  type HeroesQuery,
  LEADERBOARD_TABLE,
  type LeaderboardQuery,
  MATCHES_TABLE,
  type MatchesQuery,
  type MatchFilters,
  NEAR_TABLE,
  PLAYED_WITH_TABLE,
  PLAYERS_TABLE,
  type PlayedWithQuery,
  type PlayerFilters,
  type PlayersQuery,
  RECORD_TABLE,
  type RecordQuery,
  writeQuery,
} from "./query.ts";
import type { Resource } from "./resource.ts";
import type {
  Change,
  Hero,
  LeaderboardEntry,
  Match,
  PlayedWith,
  Player,
  Sparse,
} from "./resources.ts";
import type { Transport } from "./transport.ts";
import { segment } from "./url.ts";

/** A player with a similar name. */
export interface PlayerName {
  readonly id: string;
  readonly name: string;
  readonly shardId: string;
  /** If the player has one. */
  readonly skillTier: number | undefined;
  /** ISO 8601: when the newest match of the player was created. */
  readonly lastMatchAt: string | undefined;
}

/** Hero statistics. */
export interface HeroStatistics {
  readonly heroes: readonly Hero[];
  /** The number of matches that were counted. */
  readonly matches: number;
  /** Whether there are more heroes, or more data than a request may read. */
  readonly isTruncated: boolean;
}

/** The matches of a query. */
export type Matches<Item> = Pages<Item, MatchList>;

/** Players, and how many more the filter found. */
export type Players<Item> = List<Item, PlayerList["meta"]>;

export type Board = Leaderboard["meta"]["board"];

export class Shard {
  readonly id: string;
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, id: string) {
    this.id = id;
    this.#transport = transport;
    this.#path = `/shards/${segment("shard", id)}`;
  }

  /** The matches of a query, to iterate or to read page by page. Sends no request yet. */
  matches(query?: MatchFilters & Everything): Matches<Match>;
  matches(query: MatchesQuery): Matches<Sparse<Match>>;
  matches(query: MatchesQuery = {}): Matches<Match> | Matches<Sparse<Match>> {
    const path = `${this.#path}/matches${writeQuery(query, MATCHES_TABLE)}`;
    return new Pages(this.#transport, path, callOptions(query));
  }

  /** One match of any age. */
  async match(id: string, query?: CallOptions & Everything): Promise<Match>;
  async match(id: string, query: RecordQuery): Promise<Sparse<Match>>;
  async match(id: string, query: RecordQuery = {}): Promise<Match | Sparse<Match>> {
    const path = `${this.#path}/matches/${segment("id", id)}${writeQuery(query, RECORD_TABLE)}`;
    const { document } = await this.#transport.get<SingleMatch>(path, callOptions(query));
    return linkedOne<Match>(document);
  }

  /**
   * The changes of the matches as they happen, without end. Reconnects as needed, and misses none.
   * Sends no request until the loop begins.
   */
  changes(query: ChangesQuery = {}): AsyncGenerator<Change, void, undefined> {
    const { after, signal, onOpen, onReconnect, ...filters } = query;
    const pathAfter = (cursor: string | undefined) =>
      `${this.#path}/changes${writeQuery({ ...filters, after: cursor }, CHANGES_TABLE)}`;
    // Invalid options are errors of the call, not of the loop.
    pathAfter(after);
    return followChanges(this.#transport, pathAfter, { after, signal, onOpen, onReconnect });
  }

  /**
   * Up to 6 players by name or id. Default: those of the most recent matches. If the filter found more,
   * `meta.omitted` of the list says how many.
   */
  async players(query?: PlayerFilters & Everything): Promise<Players<Player>>;
  async players(query: PlayersQuery): Promise<Players<Sparse<Player>>>;
  async players(query: PlayersQuery = {}): Promise<Players<Player> | Players<Sparse<Player>>> {
    const path = `${this.#path}/players${writeQuery(query, PLAYERS_TABLE)}`;
    const { document } = await this.#transport.get<PlayerList>(path, callOptions(query));
    return listWithMeta<Player, PlayerList["meta"]>(document, document?.meta);
  }

  async player(id: string, query?: CallOptions & Everything): Promise<Player>;
  async player(id: string, query: RecordQuery): Promise<Sparse<Player>>;
  async player(id: string, query: RecordQuery = {}): Promise<Player | Sparse<Player>> {
    const path = `${this.#path}/players/${segment("id", id)}${writeQuery(query, RECORD_TABLE)}`;
    const { document } = await this.#transport.get<SinglePlayer>(path, callOptions(query));
    return linkedOne<Player>(document);
  }

  /** With whom and against whom a player played most in the last 28 days; `meta` says what was counted. */
  async playedWith(
    playerId: string,
    query: PlayedWithQuery = {},
  ): Promise<List<PlayedWith, PlayedWithList["meta"]>> {
    const player = `${this.#path}/players/${segment("id", playerId)}`;
    const path = `${player}/played-with${writeQuery(query, PLAYED_WITH_TABLE)}`;
    const { document } = await this.#transport.get<PlayedWithList>(path, callOptions(query));
    if (!document?.meta) throw withoutRecords();
    return listWithMeta<PlayedWith, PlayedWithList["meta"]>(document, document.meta);
  }

  /** Hero statistics, over all matches of these modes and patches. */
  async heroes(query: HeroesQuery = {}): Promise<HeroStatistics> {
    const path = `${this.#path}/heroes${writeQuery(query, HEROES_TABLE)}`;
    const { document } = await this.#transport.get<HeroList>(path, callOptions(query));
    const heroes = linkedList<Hero>(document);
    if (!document.meta) throw withoutRecords();
    const { matches, isTruncated } = document.meta;
    return { heroes, matches, isTruncated };
  }

  /** Players whose names are similar to this text, closest first; the nearest ones if none is similar. */
  async playerNames(near: string, options: CallOptions = {}): Promise<PlayerName[]> {
    const path = `${this.#path}/player-names${writeQuery({ near }, NEAR_TABLE)}`;
    const { document } = await this.#transport.get<NameList>(path, options);
    return linkedList<Resource<RawName>>(document).map(playerName);
  }

  /** A leaderboard, the best first, to iterate or to read page by page. Sends no request yet. */
  leaderboard(board: Board, query: LeaderboardQuery = {}): Pages<LeaderboardEntry, Leaderboard> {
    const first = `${this.#path}/leaderboards/${segment("board", board)}`;
    const path = `${first}${writeQuery(query, LEADERBOARD_TABLE)}`;
    return new Pages(this.#transport, path, callOptions(query));
  }
}

type RawName = NameList["data"][number];

export const playerName = ({ id, attributes }: Pick<RawName, "id" | "attributes">): PlayerName => {
  const { name, shardId, skillTier, lastMatchAt } = attributes;
  return { id, name, shardId, skillTier, lastMatchAt };
};

const callOptions = ({ signal, patience }: CallOptions): CallOptions => ({ signal, patience });
