/** Links the resources of a document: each is one object, however many resources link to it. */

import { withoutRecords } from "./failures.ts";
import type * as Raw from "./generated.ts";
import { type Lookup, type RawResource, Resource } from "./resource.ts";
import {
  Change,
  Hero,
  LeaderboardEntry,
  Match,
  Participant,
  PlayedWith,
  Player,
  Roster,
  Team,
} from "./resources.ts";

interface Compound {
  readonly data: RawResource | readonly RawResource[];
  readonly included?: readonly RawResource[];
}

export class Graph implements Lookup {
  readonly #raw = new Map<string, RawResource>();
  readonly #made = new Map<string, Resource>();

  constructor({ data, included = [] }: Compound) {
    for (const resource of [data, included].flat() as RawResource[]) {
      this.#raw.set(nameOf(resource.type, resource.id), resource);
    }
  }

  /** A resource that was not included gets only its type and id. */
  find(type: string, id: string): Resource {
    const name = nameOf(type, id);
    const known = this.#made.get(name);
    if (known) return known;
    const sent = this.#raw.get(name);
    const made = this.#make(sent ?? { type, id }, sent !== undefined);
    this.#made.set(name, made);
    return made;
  }

  #make(raw: RawResource, isLoaded: boolean): Resource {
    switch (raw.type) {
      case "match":
        return new Match(raw as Raw.Match, this, isLoaded);
      case "roster":
        return new Roster(raw as Raw.Roster, this, isLoaded);
      case "participant":
        return new Participant(raw as Raw.Participant, this, isLoaded);
      case "player":
        return new Player(raw as Raw.Player, this, isLoaded);
      case "team":
        return new Team(raw as Raw.Team, this, isLoaded);
      case "hero":
        return new Hero(raw as Raw.Hero, this, isLoaded);
      case "change":
        return new Change(raw as Raw.Change, this, isLoaded);
      case "played-with":
        return new PlayedWith(raw as Raw.PlayedWith, this, isLoaded);
      case "leaderboard-entry":
        return new LeaderboardEntry(raw as Raw.LeaderboardEntry, this, isLoaded);
      default:
        return new Resource(raw, this, isLoaded);
    }
  }
}

const nameOf = (type: string, id: string) => `${type}/${id}`;

/** The linked match, player or change of a document. */
export function linkedOne<R extends Resource>(document: Compound & { data: RawResource }): R {
  if (typeof document?.data?.id !== "string") throw withoutRecords();
  return new Graph(document).find(document.data.type, document.data.id) as R;
}

/** An array that also has the `meta` of its document. */
export type List<Item, Meta> = Item[] & { readonly meta: Meta };

/** Not enumerable, so that the list can be compared and printed like any other. */
export function listWithMeta<R extends Resource, Meta>(
  document: Compound & { data: readonly RawResource[] },
  meta: Meta,
): List<R, Meta> {
  return Object.defineProperty(linkedList<R>(document), "meta", { value: meta }) as List<R, Meta>;
}

/** The linked matches or players of a document, in their order. */
export function linkedList<R extends Resource>(
  document: Compound & { data: readonly RawResource[] },
): R[] {
  if (!Array.isArray(document?.data)) throw withoutRecords();
  const graph = new Graph(document);
  return document.data.map(({ type, id }) => graph.find(type, id) as R);
}
