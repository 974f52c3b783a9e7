/**
 * In charge of the resources that the interface describes: attributes by their names, related
 * resources as objects. That every attribute of the OpenAPI document is here, the compiler sees.
 */

import type * as Raw from "./generated.ts";
import { Resource } from "./resource.ts";

type Attributes<R extends { attributes?: object }> = NonNullable<R["attributes"]>;

/** The attributes that the document names, all there: replies hold them unless less was asked for. */
type Named<R extends { attributes?: object }> = {
  readonly [Name in keyof Attributes<R> as string extends Name ? never : Name]-?: NonNullable<
    Attributes<R>[Name]
  >;
};

/** The stats that the document names, all there; and others, of which it knows nothing. */
type Stats<R extends { attributes?: { stats?: object } }> = Required<
  NonNullable<Attributes<R>["stats"]>
>;

export type GameMode = Named<Raw.Match>["gameMode"];

/** A completed session. */
export class Match extends Resource<Raw.Match> implements Named<Raw.Match> {
  /** ISO 8601, UTC. */
  get createdAt(): string {
    return this.attributes.createdAt!;
  }

  /** Seconds. */
  get duration(): number {
    return this.attributes.duration!;
  }

  get gameMode(): GameMode {
    return this.attributes.gameMode!;
  }

  /** Of the game; may be empty. */
  get patchVersion(): string {
    return this.attributes.patchVersion!;
  }

  get shardId(): string {
    return this.attributes.shardId!;
  }

  get stats(): Stats<Raw.Match> {
    return this.attributes.stats!;
  }

  /** The two sides. */
  get rosters(): readonly [Roster, Roster] {
    return this.relation("rosters") as readonly Resource[] as readonly [Roster, Roster];
  }
}

/** One side of a match. */
export class Roster extends Resource<Raw.Roster> implements Omit<Named<Raw.Roster>, "won"> {
  get shardId(): string {
    return this.attributes.shardId!;
  }

  /** The service writes it as a text, which a program would take for true either way. */
  get won(): boolean {
    const { won } = this.attributes;
    return (won && won === "true") as boolean;
  }

  get stats(): Stats<Raw.Roster> {
    return this.attributes.stats as Stats<Raw.Roster>;
  }

  get participants(): readonly Participant[] {
    return this.relation("participants") as readonly Resource[] as readonly Participant[];
  }

  /** Only of a roster that entered as a team. */
  get team(): Team | undefined {
    return this.relation("team")[0] as Team | undefined;
  }
}

/** One member of a roster: a player, an anonymous player or a bot. */
export class Participant extends Resource<Raw.Participant> implements Named<Raw.Participant> {
  /** The character played. */
  get actor(): string {
    return this.attributes.actor!;
  }

  get stats(): Stats<Raw.Participant> {
    return this.attributes.stats as Stats<Raw.Participant>;
  }

  /** Only of a registered player: bots and anonymous players have none. */
  get player(): Player | undefined {
    return this.relation("player")[0] as Player | undefined;
  }
}

/** The lifetime record of a registered player. */
export class Player extends Resource<Raw.Player> implements Named<Raw.Player> {
  /** Exact, and not unique. */
  get name(): string {
    return this.attributes.name!;
  }

  /** Of the latest match. */
  get patchVersion(): string {
    return this.attributes.patchVersion!;
  }

  get shardId(): string {
    return this.attributes.shardId!;
  }

  get titleID(): string {
    return this.attributes.titleID!;
  }

  get stats(): Stats<Raw.Player> {
    return this.attributes.stats!;
  }
}

/** A team that players entered matchmaking as. */
export class Team extends Resource<Raw.Team> implements Named<Raw.Team> {
  /** The tag. */
  get name(): string {
    return this.attributes.name!;
  }

  get shardId(): string {
    return this.attributes.shardId!;
  }
}

/**
 * A resource of a reply that `include` or `fields` made smaller: what is not of every resource may be
 * missing, here and in all that it links to.
 */
export type Sparse<R> = {
  readonly [Name in keyof R]: Name extends keyof Resource ? R[Name] : SparseValue<R[Name]>;
};

type SparseValue<Value> = Value extends readonly (infer Item extends Resource)[]
  ? readonly Sparse<Item>[]
  : Value extends Resource
    ? Sparse<Value> | undefined
    : Value | undefined;
