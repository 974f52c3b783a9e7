/** In charge of one shard: its matches, its players, and names close to a mistyped one. */

import { segment } from "./address.ts";
import type { NameList, PlayerList, SingleMatch, SinglePlayer } from "./generated.ts";
import { linkedList, linkedOne } from "./graph.ts";
import type { CallOptions } from "./options.ts";
import { Matches } from "./pages.ts";
import {
  type Everything,
  MATCHES_TABLE,
  type MatchesQuery,
  type MatchFilters,
  NEAR_TABLE,
  PLAYERS_TABLE,
  type PlayerFilters,
  type PlayersQuery,
  RECORD_TABLE,
  type RecordQuery,
  writeQuery,
} from "./query.ts";
import type { Resource } from "./resource.ts";
import type { Match, Player, Sparse } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** A name that a player bears now. */
export interface PlayerName {
  readonly id: string;
  readonly name: string;
}

export class Shard {
  readonly id: string;
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, id: string) {
    this.id = id;
    this.#transport = transport;
    this.#path = `/shards/${segment("shard", id)}`;
  }

  /** The matches that fit, to loop over or to read page by page. Nothing is asked yet. */
  matches(query?: MatchFilters & Everything): Matches<Match>;
  matches(query: MatchesQuery): Matches<Sparse<Match>>;
  matches(query: MatchesQuery = {}): Matches<Match> | Matches<Sparse<Match>> {
    const address = `${this.#path}/matches${writeQuery(query, MATCHES_TABLE)}`;
    return new Matches(this.#transport, address, callOptions(query));
  }

  /** One match, whatever its age. */
  async match(id: string, query?: CallOptions & Everything): Promise<Match>;
  async match(id: string, query: RecordQuery): Promise<Sparse<Match>>;
  async match(id: string, query: RecordQuery = {}): Promise<Match | Sparse<Match>> {
    const address = `${this.#path}/matches/${segment("id", id)}${writeQuery(query, RECORD_TABLE)}`;
    const { document } = await this.#transport.get<SingleMatch>(address, callOptions(query));
    return linkedOne<Match>(document);
  }

  /** Up to 6 players by name or id, or those that were seen last. */
  async players(query?: PlayerFilters & Everything): Promise<Player[]>;
  async players(query: PlayersQuery): Promise<Sparse<Player>[]>;
  async players(query: PlayersQuery = {}): Promise<Player[] | Sparse<Player>[]> {
    const address = `${this.#path}/players${writeQuery(query, PLAYERS_TABLE)}`;
    const { document } = await this.#transport.get<PlayerList>(address, callOptions(query));
    return linkedList<Player>(document);
  }

  /** One player. */
  async player(id: string, query?: CallOptions & Everything): Promise<Player>;
  async player(id: string, query: RecordQuery): Promise<Sparse<Player>>;
  async player(id: string, query: RecordQuery = {}): Promise<Player | Sparse<Player>> {
    const address = `${this.#path}/players/${segment("id", id)}${writeQuery(query, RECORD_TABLE)}`;
    const { document } = await this.#transport.get<SinglePlayer>(address, callOptions(query));
    return linkedOne<Player>(document);
  }

  /** Names that players bear now and that are close to this one, the closest first. */
  async playerNames(near: string, options: CallOptions = {}): Promise<PlayerName[]> {
    const address = `${this.#path}/player-names${writeQuery({ near }, NEAR_TABLE)}`;
    const { document } = await this.#transport.get<NameList>(address, options);
    const names = linkedList<Resource<NameList["data"][number]>>(document);
    return names.map(({ id, attributes }) => ({ id, name: attributes.name }));
  }
}

const callOptions = ({ signal, patience }: CallOptions): CallOptions => ({ signal, patience });
