/**
 * The types of the change feed, written by hand: the OpenAPI document does not describe it yet.
 * Once it does, those of `generated.ts` replace them.
 */

import type { Match } from "./generated.ts";

type MatchAttributes = NonNullable<Match["attributes"]>;

/** A change of the served matches. */
export type RawChange = {
  readonly type: "change";
  /** The cursor after this change. */
  readonly id: string;
  readonly attributes?: {
    /** What happened to the match. */
    readonly kind?: "added" | "replaced" | "removed";
    /** When it happened: ISO 8601, UTC. */
    readonly changedAt?: string;
    /** Creation time of the match: ISO 8601, UTC. */
    readonly createdAt?: string;
    /** Game mode of the match. */
    readonly gameMode?: NonNullable<MatchAttributes["gameMode"]>;
    /** Patch version of the match; may be empty. */
    readonly patchVersion?: string;
    readonly [name: string]: unknown;
  };
  readonly relationships?: {
    readonly match?: { readonly data: { readonly type: "match"; readonly id: string } };
    readonly players?: {
      readonly data: readonly { readonly type: "player"; readonly id: string }[];
    };
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
};

/** The query parameters that apply to a stream. */
export type ChangesParameter =
  | "page[after]"
  | "filter[playerNames]"
  | "filter[playerIds]"
  | "filter[teamNames]"
  | "filter[gameMode]"
  | "filter[patchVersion]";
