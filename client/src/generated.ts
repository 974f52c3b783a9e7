/**
 * The types of the API. Generated from its OpenAPI document by `npm run client:types`; do not
 * edit.
 */

/** A completed match. */
export type Match = {
  readonly type: "match";
  /** Identifier, compared byte by byte. */
  readonly id: string;
  readonly attributes?: {
    /** Creation time of the record: ISO 8601, UTC. */
    readonly createdAt?: string;
    /** Length of the session in seconds. */
    readonly duration?: number;
    /** Game mode. */
    readonly gameMode?:
      | "ranked"
      | "casual"
      | "private"
      | "private_party_draft_match"
      | "private_party_aral_match"
      | "private_party_blitz_match"
      | "casual_aral"
      | "blitz_pvp_ranked";
    /** Patch version of the game; may be empty. */
    readonly patchVersion?: string;
    /** Region shard. */
    readonly shardId?: string;
    readonly stats?: {
      /** How the session ended. */
      readonly endGameReason: string;
      /** The queue the players came from. */
      readonly queue: string;
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly relationships?: {
    readonly rosters?: {
      readonly data: readonly [
        {
          readonly type: "roster";
          /** Identifier, compared byte by byte. */
          readonly id: string;
          readonly [name: string]: unknown;
        },
        {
          readonly type: "roster";
          /** Identifier, compared byte by byte. */
          readonly id: string;
          readonly [name: string]: unknown;
        },
      ];
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
};

/** One side of a match. */
export type Roster = {
  readonly type: "roster";
  /** Identifier, compared byte by byte. */
  readonly id: string;
  readonly attributes?: {
    /** Region shard. */
    readonly shardId?: string;
    /** Whether this side won. */
    readonly won?: "true" | "false";
    readonly stats?: {
      /** Aces of this side. */
      readonly acesEarned?: number;
      /** Gold of this side. */
      readonly gold?: number;
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly relationships?: {
    readonly participants?: {
      readonly data: readonly {
        readonly type: "participant";
        /** Identifier, compared byte by byte. */
        readonly id: string;
        readonly [name: string]: unknown;
      }[];
      readonly [name: string]: unknown;
    };
    readonly team?: {
      readonly data: {
        readonly type: "team";
        /** Identifier, compared byte by byte. */
        readonly id: string;
        readonly [name: string]: unknown;
      };
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
};

/** One member of a roster: a registered player, an anonymous player or a bot. */
export type Participant = {
  readonly type: "participant";
  /** Identifier, compared byte by byte. */
  readonly id: string;
  readonly attributes?: {
    /** Name of the character played. */
    readonly actor?: string;
    readonly stats?: {
      /** Assists. */
      readonly assists?: number;
      /** Captures of the crystal mine. */
      readonly crystalMineCaptures?: number;
      /** Deaths. */
      readonly deaths?: number;
      /** Farm score. */
      readonly farm?: number;
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly relationships?: {
    readonly player?: {
      readonly data: {
        readonly type: "player";
        /** Identifier, compared byte by byte. */
        readonly id: string;
        readonly [name: string]: unknown;
      };
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
};

/** The lifetime record of a registered player. */
export type Player = {
  readonly type: "player";
  /** Identifier, compared byte by byte. */
  readonly id: string;
  readonly attributes?: {
    /** Player name, specific to the region; not unique. */
    readonly name?: string;
    /** Patch version of the player's latest match. */
    readonly patchVersion?: string;
    /** Region shard. */
    readonly shardId?: string;
    /** Identifier of the game title. */
    readonly titleID?: string;
    readonly stats?: {
      /** Matches won in a row, up to the latest. */
      readonly winStreak: number;
      /** Matches lost in a row, up to the latest. */
      readonly lossStreak: number;
      /** Gold of all served matches. */
      readonly lifetimeGold: number;
      /** Served matches played. */
      readonly played: number;
      /** Served matches won. */
      readonly wins: number;
      /** Served matches of mode ranked. */
      readonly played_ranked: number;
      readonly [name: string]: unknown;
    };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
};

/** A team that players entered matchmaking with. */
export type Team = {
  readonly type: "team";
  /** Identifier, compared byte by byte. */
  readonly id: string;
  readonly attributes?: {
    /** The team's tag in the game. */
    readonly name?: string;
    /** Region shard. */
    readonly shardId?: string;
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
};

/** Any other resource of a record. */
export type Other = {
  readonly type: string;
  /** Identifier, compared byte by byte. */
  readonly id: string;
  readonly attributes?: {
    readonly [name: string]: unknown;
  };
  readonly relationships?: {
    readonly [name: string]: {
      readonly [name: string]: unknown;
    };
  };
  readonly [name: string]: unknown;
};

export type MatchList = {
  readonly data: readonly Match[];
  /** The related resources, each once. Empty if `include` is empty. */
  readonly included: readonly (Roster | Participant | Player | Team | Other)[];
  readonly meta: {
    readonly window: {
      readonly start: string;
      readonly end: string;
    };
  };
  readonly links: {
    readonly self: string;
    readonly first: string;
    readonly prev?: string;
    readonly next?: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

export type SingleMatch = {
  readonly data: Match;
  /** The related resources, each once. Empty if `include` is empty. */
  readonly included: readonly (Roster | Participant | Player | Team | Other)[];
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

export type PlayerList = {
  readonly data: readonly Player[];
  /** Players have no related resources: empty if `include` is empty, otherwise absent. */
  readonly included?: readonly Other[];
  /** Only if the filter found more players than are returned. */
  readonly meta?: {
    /** How many more players the filter found. 50 means 50 or more. */
    readonly omitted: number;
  };
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

export type SinglePlayer = {
  readonly data: Player;
  /** Players have no related resources: empty if `include` is empty, otherwise absent. */
  readonly included?: readonly Other[];
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

export type Errors = {
  readonly errors: readonly {
    /** The id of the request. */
    readonly id: string;
    readonly status: string;
    readonly code:
      | "malformed-query"
      | "unknown-parameter"
      | "repeated-parameter"
      | "empty-parameter"
      | "invalid-parameter"
      | "conflicting-parameters"
      | "too-many-values"
      | "invalid-window"
      | "invalid-cursor"
      | "offset-too-deep"
      | "unknown-include-path"
      | "unknown-type"
      | "unauthorized"
      | "shard-closed"
      | "unknown-route"
      | "unknown-shard"
      | "not-found"
      | "method-not-allowed"
      | "not-acceptable"
      | "cursor-expired"
      | "uri-too-long"
      | "rate-limited"
      | "quota-exceeded"
      | "too-many-failures"
      | "too-many-streams"
      | "internal-error"
      | "damaged-data"
      | "keys-unavailable"
      | "not-ready"
      | "overloaded"
      | "shard-unavailable"
      | "usage-unavailable";
    readonly title: string;
    /** What is wrong and how to fix it. */
    readonly detail: string;
    readonly source?:
      | {
          readonly parameter: string;
        }
      | {
          readonly header: string;
        };
  }[];
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

export type Usage = {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly tier: string;
  };
  readonly limits: {
    readonly requestsPerMinute: number;
    readonly burst: number;
    /** Null means unlimited. */
    readonly matchesPerDay: number | null;
    /** `*` means every shard that is not closed. */
    readonly shards: readonly string[];
    /** Streams of changes at once. */
    readonly streams: number;
    readonly changesPerMinute: number;
  };
  readonly today: {
    readonly day: string;
    /** Distinct matches that count against the quota. 0 for a key without one. */
    readonly matches: number;
    /** Null means unlimited. */
    readonly matchesLeft: number | null;
    /** Seconds until the next UTC day. */
    readonly resetSeconds: number;
  };
  readonly days: readonly {
    readonly day: string;
    /** Requests by HTTP status. */
    readonly requests: {
      readonly [name: string]: number;
    };
    /** Match and player records in response bodies. */
    readonly records: number;
    readonly lastSeen: string;
  }[];
};

export type Status = {
  readonly name: string;
  readonly version: string;
  readonly startedAt: string;
  readonly shards: readonly {
    readonly id: string;
    readonly available: boolean;
    readonly newestMatch: string | null;
    readonly ageSeconds: number | null;
    /** If the shard has read replicas: how many are configured, and how many are in use. */
    readonly replicas?: {
      readonly listed: number;
      readonly inUse: number;
    };
  }[];
  /** If several instances share limits: whether they do, or each applies its own because Redis is unavailable. */
  readonly sharedLimits?: "ok" | "unavailable";
};

export type Health = {
  readonly status: "ok";
};

export type Readiness = {
  readonly status: "ready" | "not ready";
  /** The shards that cannot be read. */
  readonly unavailable?: readonly string[];
  /** Present while API keys cannot be checked, because they have not been loaded. */
  readonly keys?: "unavailable";
};

/** An OpenAPI 3.1 document. */
export type Description = {
  readonly [name: string]: unknown;
};

/** Another player, in whose matches the player also played. */
export type PlayedWith = {
  readonly type: "played-with";
  /** The id of the other player. */
  readonly id: string;
  readonly attributes: {
    /** The current name of the other player. */
    readonly name: string;
    /** Matches on the same side. */
    readonly with: {
      readonly matches: number;
      /** Those that the player of the request won. */
      readonly wins: number;
    };
    /** Matches on opposite sides. */
    readonly against: {
      readonly matches: number;
      /** Those that the player of the request won. */
      readonly wins: number;
    };
    /** When their newest match was created. */
    readonly lastPlayedAt: string;
  };
  readonly relationships: {
    readonly player: {
      readonly data: {
        readonly type: "player";
        readonly id: string;
      };
    };
  };
};

export type PlayedWithList = {
  /** The most matches together first. */
  readonly data: readonly PlayedWith[];
  readonly meta: {
    /** The number of matches counted. */
    readonly matches: number;
    readonly window: {
      readonly start: string;
      readonly end: string;
    };
    /** Whether there were more matches in the window, which are not counted. */
    readonly isTruncated: boolean;
  };
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

/** The current name of a player. */
export type PlayerName = {
  readonly type: "player-name";
  /** The id of the player. */
  readonly id: string;
  readonly attributes: {
    /** The current name of the player. */
    readonly name: string;
    /** Region shard. */
    readonly shardId: string;
    /** If the player record has one. */
    readonly skillTier?: number;
    /** When the newest match of the player was created. */
    readonly lastMatchAt?: string;
  };
};

/** The match whose id was searched for. */
export type FoundMatch = {
  readonly type: "match";
  /** The id that was searched for. */
  readonly id: string;
  readonly attributes: {
    /** Region shard. */
    readonly shardId: string;
    readonly createdAt: string;
  };
};

export type NameList = {
  /** The closest names first. */
  readonly data: readonly PlayerName[];
  readonly meta?: {
    /** No name is similar: these are the nearest ones. Otherwise absent. */
    readonly nearest: true;
  };
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

export type NameSearch = {
  /** A match with this id first, then the closest names. */
  readonly data: readonly (PlayerName | FoundMatch)[];
  readonly meta?: {
    /** No name is similar: these are the nearest ones. Otherwise absent. */
    readonly nearest?: true;
    /** The shards that could not answer. Only if there are any. */
    readonly unavailable?: readonly string[];
  };
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

/** A player on a leaderboard. */
export type LeaderboardEntry = {
  readonly type: "leaderboard-entry";
  /** The id of the player. */
  readonly id: string;
  readonly attributes: {
    /** One more than the number of players with a better value. Null beyond the depth. */
    readonly rank: number | null;
    /** The current name of the player. */
    readonly name: string;
    /** The skill tier, the wins, the rate from 0 to 1, or the streak. */
    readonly value: number;
    /** On win-rate: the ranked matches that the rate is about. */
    readonly matches?: number;
  };
  readonly relationships: {
    readonly player: {
      readonly data: {
        readonly type: "player";
        readonly id: string;
      };
    };
  };
};

export type Leaderboard = {
  /** The best first; players with equal values by id. */
  readonly data: readonly LeaderboardEntry[];
  readonly meta: {
    readonly board: "skill-tier" | "ranked-wins" | "win-rate" | "win-streak";
    readonly period: "all" | "28d";
    /** The 28 days, if the period is 28d and the shard has matches. */
    readonly window?: {
      readonly start: string;
      readonly end: string;
    };
    /** How many entries are listed. */
    readonly depth: number;
  };
  readonly links: {
    readonly self: string;
    readonly next?: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

/** A change of a served match. */
export type Change = {
  readonly type: "change";
  /** The cursor after this change. */
  readonly id: string;
  readonly attributes: {
    readonly kind: "added" | "replaced" | "removed";
    /** When the change was made. */
    readonly changedAt: string;
    /** As of the match. */
    readonly createdAt: string;
    /** As of the match. */
    readonly gameMode:
      | "ranked"
      | "casual"
      | "private"
      | "private_party_draft_match"
      | "private_party_aral_match"
      | "private_party_blitz_match"
      | "casual_aral"
      | "blitz_pvp_ranked";
    /** As of the match. */
    readonly patchVersion: string;
  };
  readonly relationships: {
    readonly match: {
      readonly data: {
        readonly type: "match";
        readonly id: string;
      };
    };
    readonly players: {
      readonly data: readonly {
        readonly type: "player";
        readonly id: string;
      }[];
    };
  };
};

export type ChangeList = {
  /** The oldest change first. */
  readonly data: readonly Change[];
  readonly links: {
    readonly self: string;
    readonly next: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

/** The statistics of a hero. */
export type Hero = {
  readonly type: "hero";
  /** The hero, as records name it. */
  readonly id: string;
  readonly attributes: {
    /** How often it was played: participants, not matches. */
    readonly matches: number;
    /** How often its side won. */
    readonly wins: number;
    /** `wins` / `matches`. */
    readonly winRate: number;
    /** `matches` per match selected: more than 1 if most matches have several. */
    readonly pickRate: number;
    /** Average. */
    readonly kills: number;
    /** Average. */
    readonly deaths: number;
    /** Average. */
    readonly assists: number;
    /** Average. */
    readonly gold: number;
    /** Average. */
    readonly farm: number;
  };
};

export type HeroList = {
  readonly data: readonly Hero[];
  readonly meta: {
    /** The number of matches selected. */
    readonly matches: number;
    /** The number of heroes in them. */
    readonly heroes: number;
    /** Whether there are more heroes, or more data than a request may read. */
    readonly isTruncated: boolean;
  };
  readonly links: {
    readonly self: string;
  };
  readonly jsonapi: {
    readonly version: "1.1";
  };
};

/** Every path, with its query parameters and its response document. */
export interface Operations {
  /** Get a collection of matches */
  "/shards/{shard}/matches": {
    query: {
      /** The maximum number of records on a page, up to 5. Default: 5. */
      readonly "page[limit]"?: number;
      /** The number of matches to skip. To read many pages, follow `links.next` instead. Default: 0. */
      readonly "page[offset]"?: number;
      /** A cursor: the page after it. Copy it from `links.next`. */
      readonly "page[after]"?: string;
      /** A cursor: the page before it. Copy it from `links.prev`. */
      readonly "page[before]"?: string;
      /** `createdAt`: oldest first. `-createdAt`: newest first. Default: createdAt. */
      readonly sort?: "createdAt" | "-createdAt";
      /** The earliest creation time, inclusive. It must be before the end. Default: now minus 28 days. */
      readonly "filter[createdAt-start]"?: string;
      /** The latest creation time, inclusive. A time in the future counts as now. Default: now. */
      readonly "filter[createdAt-end]"?: string;
      /** Players by their exact current names. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[playerNames]"?: string;
      /** Players by id. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[playerIds]"?: string;
      /** Teams by their exact current tags. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[teamNames]"?: string;
      /** Game modes, separated by commas. */
      readonly "filter[gameMode]"?: string;
      /** Patch versions of the game. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[patchVersion]"?: string;
      /** The related resources to include, as paths separated by commas. Empty: none. Paths: rosters, rosters.participants, rosters.participants.player, rosters.team, and further relationships of the records. Default: everything related. */
      readonly include?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[match]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[roster]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[participant]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[player]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[team]"?: string;
    };
    reply: MatchList;
  };
  /** Get a single match */
  "/shards/{shard}/matches/{id}": {
    query: {
      /** The related resources to include, as paths separated by commas. Empty: none. Paths: rosters, rosters.participants, rosters.participants.player, rosters.team, and further relationships of the records. Default: everything related. */
      readonly include?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[match]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[roster]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[participant]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[player]"?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[team]"?: string;
    };
    reply: SingleMatch;
  };
  /** Get a collection of players */
  "/shards/{shard}/players": {
    query: {
      /** The maximum number of records on a page, up to 6. Default: 6. */
      readonly "page[limit]"?: number;
      /** Players have only one page: it must be 0. Default: 0. */
      readonly "page[offset]"?: number;
      /** Players by their exact current names. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[playerNames]"?: string;
      /** Players by id. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[playerIds]"?: string;
      /** Players have no related resources: only an empty value is accepted. */
      readonly include?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[player]"?: string;
    };
    reply: PlayerList;
  };
  /** Get a single player */
  "/shards/{shard}/players/{id}": {
    query: {
      /** Players have no related resources: only an empty value is accepted. */
      readonly include?: string;
      /** The fields to return for resources of this type, separated by commas. Empty: none. Default: every field. */
      readonly "fields[player]"?: string;
    };
    reply: SinglePlayer;
  };
  /** Get whom a player played with */
  "/shards/{shard}/players/{id}/played-with": {
    query: {
      /** The maximum number of records on a page, up to 50. Default: 20. */
      readonly "page[limit]"?: number;
    };
    reply: PlayedWithList;
  };
  /** Find player names similar to a text */
  "/shards/{shard}/player-names": {
    query: {
      /** A player name, which may be mistyped or incomplete; at most 64 characters. */
      readonly "filter[near]": string;
    };
    reply: NameList;
  };
  /** Find players and matches in all shards */
  "/player-names": {
    query: {
      /** A player name, which may be mistyped or incomplete; at most 64 characters. */
      readonly "filter[near]": string;
    };
    reply: NameSearch;
  };
  /** Get a leaderboard */
  "/shards/{shard}/leaderboards/{board}": {
    query: {
      /** The maximum number of records on a page, up to 100. Default: 20. */
      readonly "page[limit]"?: number;
      /** A cursor: the page after it. Copy it from `links.next`. */
      readonly "page[after]"?: string;
      /** The entries of these players, at most 20, instead of a page. Separate ids with commas. */
      readonly "filter[playerIds]"?: string;
      /** `all`, or `28d` for the 28 days that end with the day of the newest match. Only ranked-wins and win-rate have `28d`. Default: all. */
      readonly "filter[period]"?: "all" | "28d";
    };
    reply: Leaderboard;
  };
  /** Follow the changes of matches */
  "/shards/{shard}/changes": {
    query: {
      /** The maximum number of records on a page, up to 200. Default: 50. */
      readonly "page[limit]"?: number;
      /** The changes after it: a cursor of `links.next`, the `id` of a change, or `oldest` for the oldest change that is kept. Without it, they begin now. */
      readonly "page[after]"?: string;
      /** Players by their exact current names. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[playerNames]"?: string;
      /** Players by id. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[playerIds]"?: string;
      /** Teams by their exact current tags. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[teamNames]"?: string;
      /** Game modes, separated by commas. */
      readonly "filter[gameMode]"?: string;
      /** Patch versions of the game. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[patchVersion]"?: string;
      /** The same as `Last-Event-ID`, which wins over it, for libraries that cannot send the header. Only a stream has it. */
      readonly lastEventId?: string;
    };
    reply: ChangeList;
  };
  /** Get hero statistics */
  "/shards/{shard}/heroes": {
    query: {
      /** Game modes, separated by commas. */
      readonly "filter[gameMode]"?: string;
      /** Patch versions of the game. Separate values with commas, at most 50. Inside a value, write a comma as `\,` and a backslash as `\\`. */
      readonly "filter[patchVersion]"?: string;
      /** Any attribute, or `hero` for the name; with `-` in descending order. Default: -matches. */
      readonly sort?:
        | "matches"
        | "-matches"
        | "wins"
        | "-wins"
        | "winRate"
        | "-winRate"
        | "pickRate"
        | "-pickRate"
        | "kills"
        | "-kills"
        | "deaths"
        | "-deaths"
        | "assists"
        | "-assists"
        | "gold"
        | "-gold"
        | "farm"
        | "-farm"
        | "hero"
        | "-hero";
    };
    reply: HeroList;
  };
  /** Get the limits and usage of your key */
  "/usage": {
    reply: Usage;
  };
  /** List the shards and how fresh each is */
  "/status": {
    reply: Status;
  };
  /** Liveness check */
  "/healthz": {
    reply: Health;
  };
  /** Readiness check */
  "/readyz": {
    reply: Readiness;
  };
  /** The OpenAPI 3.1 description of this API */
  "/openapi.json": {
    reply: Description;
  };
}
