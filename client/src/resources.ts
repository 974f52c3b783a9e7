/**
 * The documented resources: attributes by name, related resources as objects. The compiler checks
 * that every attribute of the OpenAPI document is here.
 */

import type * as Raw from "./generated.ts";
import { Resource } from "./resource.ts";

type Attributes<R extends { attributes?: object }> = NonNullable<R["attributes"]>;

/** The documented attributes, all present. */
type Named<R extends { attributes?: object }> = {
  readonly [Name in keyof Attributes<R> as string extends Name ? never : Name]-?: NonNullable<
    Attributes<R>[Name]
  >;
};

/** The documented stats, all present, and any others. */
type Stats<R extends { attributes?: { stats?: object } }> = Required<
  NonNullable<Attributes<R>["stats"]>
>;

export type GameMode = Named<Raw.Match>["gameMode"];

/** A completed game session. */
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

  /** The game's patch version; may be empty. */
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

  /** The service sends a string, which would always be truthy. */
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

  /** Only if the roster entered as a team. */
  get team(): Team | undefined {
    return this.relation("team")[0] as Team | undefined;
  }
}

/** A member of a roster: a registered player, an anonymous player or a bot. */
export class Participant extends Resource<Raw.Participant> implements Named<Raw.Participant> {
  /** The character that was played. */
  get actor(): string {
    return this.attributes.actor!;
  }

  get stats(): Stats<Raw.Participant> {
    return this.attributes.stats as Stats<Raw.Participant>;
  }

  /** Only for registered players. */
  get player(): Player | undefined {
    return this.relation("player")[0] as Player | undefined;
  }
}

/** The lifetime record of a registered player. */
export class Player extends Resource<Raw.Player> implements Named<Raw.Player> {
  /** Not unique. */
  get name(): string {
    return this.attributes.name!;
  }

  /** The patch version of the latest match. */
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

/** A team that entered matchmaking. */
export class Team extends Resource<Raw.Team> implements Named<Raw.Team> {
  /** The team's tag. */
  get name(): string {
    return this.attributes.name!;
  }

  get shardId(): string {
    return this.attributes.shardId!;
  }
}

/** A change of the served matches: a reference to a match, without its data. */
export class Change extends Resource<Raw.Change> implements Named<Raw.Change> {
  /** Pass it as `after` to continue after this change. */
  get cursor(): string {
    return this.id;
  }

  get kind(): Named<Raw.Change>["kind"] {
    return this.attributes.kind!;
  }

  /** ISO 8601, UTC. */
  get changedAt(): string {
    return this.attributes.changedAt!;
  }

  /** Of the match: ISO 8601, UTC. */
  get createdAt(): string {
    return this.attributes.createdAt!;
  }

  /** Of the match. */
  get gameMode(): GameMode {
    return this.attributes.gameMode!;
  }

  /** Of the match; may be empty. */
  get patchVersion(): string {
    return this.attributes.patchVersion!;
  }

  /** Only its type and id. */
  get match(): Resource {
    return this.relation("match")[0]!;
  }

  /** The registered players of the match: only their types and ids. */
  get players(): readonly Resource[] {
    return this.relation("players");
  }
}

/** The statistics of a hero; its id is the hero as records name it. */
export class Hero extends Resource<Raw.Hero> implements Named<Raw.Hero> {
  /** How often it was played: participants, not matches. */
  get matches(): number {
    return this.attributes.matches!;
  }

  get wins(): number {
    return this.attributes.wins!;
  }

  get winRate(): number {
    return this.attributes.winRate!;
  }

  /** Participants per match. */
  get pickRate(): number {
    return this.attributes.pickRate!;
  }

  /** This and the following are averages. */
  get kills(): number {
    return this.attributes.kills!;
  }

  get deaths(): number {
    return this.attributes.deaths!;
  }

  get assists(): number {
    return this.attributes.assists!;
  }

  get gold(): number {
    return this.attributes.gold!;
  }

  get farm(): number {
    return this.attributes.farm!;
  }
}

/** A player on a leaderboard. */
export class LeaderboardEntry extends Resource<Raw.LeaderboardEntry> {
  /** One more than the number of players with a better value; null beyond the depth of the leaderboards. */
  get rank(): number | null {
    return this.attributes.rank;
  }

  /** The current name of the player. */
  get name(): string {
    return this.attributes.name!;
  }

  /** The skill tier, the wins, the rate from 0 to 1, or the streak. */
  get value(): number {
    return this.attributes.value!;
  }

  /** On `win-rate`: the ranked matches that the rate is about. */
  get matches(): number | undefined {
    return this.attributes.matches;
  }

  /** Only its type and id. */
  get player(): Resource {
    return this.relation("player")[0]!;
  }
}

/** Another player, in whose matches a player also played. */
export class PlayedWith extends Resource<Raw.PlayedWith> implements Named<Raw.PlayedWith> {
  /** The current name of the other player. */
  get name(): string {
    return this.attributes.name!;
  }

  /** Matches on the same side, and those of them that the player won. */
  get with(): Named<Raw.PlayedWith>["with"] {
    return this.attributes.with!;
  }

  /** Matches on opposite sides, and those of them that the player won. */
  get against(): Named<Raw.PlayedWith>["against"] {
    return this.attributes.against!;
  }

  /** Of the newest match of both: ISO 8601, UTC. */
  get lastPlayedAt(): string {
    return this.attributes.lastPlayedAt!;
  }

  /** The other player: only type and id. */
  get player(): Resource {
    return this.relation("player")[0]!;
  }
}

/**
 * A resource whose attributes may be missing because of `include` or `fields`, as may those of its
 * related resources.
 */
export type Sparse<R> = {
  readonly [Name in keyof R]: Name extends keyof Resource ? R[Name] : SparseValue<R[Name]>;
};

type SparseValue<Value> = Value extends readonly (infer Item extends Resource)[]
  ? readonly Sparse<Item>[]
  : Value extends Resource
    ? Sparse<Value> | undefined
    : Value | undefined;
