/** The model of the change feed: what each step changed, in the order that the first reader of the log saw. */

import type { Entry } from "./entry.ts";
import { written } from "./pages.ts";
import type { Thing } from "./record.ts";
import type { State } from "./state.ts";

type Kind = "added" | "replaced" | "removed";

interface Change {
  kind: Kind;
  /** The match; for a removal as it was before. */
  entry: Entry;
}

interface LoggedChange extends Change {
  id: string;
  changedAt: string;
  version: number;
}

/** Changes that are examined for a page with filters. */
const MOST_EXAMINED = 1000;

export interface ChangesQuery {
  /** The index of a known change; -1: from the oldest. */
  after: number;
  limit: number;
  playerIds?: string[];
  gameModes?: string[];
}

/** The changes between two states, in any order. */
export function changesBetween(before: State, after: State): Change[] {
  const [old, now] = [before, after].map(
    ({ served }) => new Map(served.map((entry) => [entry.id, entry])),
  ) as [Map<string, Entry>, Map<string, Entry>];
  const changes: Change[] = [];
  for (const [id, entry] of now) {
    const known = old.get(id);
    if (known !== entry) changes.push({ kind: known ? "replaced" : "added", entry });
  }
  for (const [id, entry] of old) if (!now.has(id)) changes.push({ kind: "removed", entry });
  return changes;
}

export class ChangeLog {
  readonly #log: LoggedChange[] = [];
  /** The last version whose changes are known. */
  version = 0;

  get length(): number {
    return this.#log.length;
  }

  cursor(index: number): string {
    return index < 0 ? "oldest" : this.#log[index]!.id;
  }

  /** Takes what was read after a step. Returns what is wrong with it. */
  append(before: State, after: State, read: Thing[]): string | undefined {
    const expected = new Map(
      changesBetween(before, after).map((change) => [change.entry.id, change]),
    );
    const seen = new Set<string>();
    for (const resource of read) {
      const { kind, changedAt } = resource.attributes as Record<string, string>;
      const matchId = ((resource.relationships as Thing).match as { data: Thing }).data.id;
      const change = expected.get(String(matchId));
      if (!change || change.kind !== kind || seen.has(change.entry.id)) {
        return `the log has "${kind} ${matchId}", expected: ${change?.kind ?? "nothing"}`;
      }
      seen.add(change.entry.id);
      const logged = { ...change, id: resource.id as string, changedAt: changedAt! };
      this.#log.push({ ...logged, version: after.version });
      const described = resourceOf(this.#log.at(-1)!, change.entry);
      if (!isSame(described, resource)) return `${kind} ${matchId} is described wrongly`;
    }
    this.version = after.version;
    const missing = [...expected.keys()].filter((id) => !seen.has(id));
    if (missing.length === 0) return undefined;
    return `the log lacks ${missing.map((id) => `${expected.get(id)!.kind} ${id}`).join(", ")}`;
  }

  /** The page of the log up to a version, with the matches of a state, and the cursor of its next link. */
  page(upTo: number, state: State, { after, limit, playerIds, gameModes }: ChangesQuery) {
    const isFiltered = playerIds !== undefined || gameModes !== undefined;
    const all = this.#log.slice(after + 1).filter(({ version }) => version <= upTo);
    const examined = all.slice(0, isFiltered ? MOST_EXAMINED : limit);
    const wanted = examined.flatMap((change) => {
      const entry = change.kind === "removed" ? change.entry : state.match(change.entry.id);
      const isWanted =
        entry !== undefined &&
        (!playerIds || entry.parts.some(({ id }) => playerIds.includes(id))) &&
        (!gameModes || gameModes.includes(entry.mode));
      return isWanted ? [resourceOf(change, entry)] : [];
    });
    const data = wanted.slice(0, limit);
    const last = data.length < wanted.length ? data.at(-1) : examined.at(-1);
    return { data, next: last?.id ?? this.cursor(after) };
  }
}

function resourceOf({ id, kind, changedAt }: LoggedChange, entry: Entry) {
  return {
    type: "change",
    id,
    attributes: {
      kind,
      changedAt,
      createdAt: written(entry.at),
      gameMode: entry.mode,
      patchVersion: entry.patch,
    },
    relationships: {
      match: { data: { type: "match", id: entry.id } },
      players: { data: entry.parts.map((one) => ({ type: "player", id: one.id })) },
    },
  };
}

type ChangeResource = ReturnType<typeof resourceOf>;

/** The order of the players is not promised. */
export function isSame(one: ChangeResource, other: Thing): boolean {
  const sorted = ({ relationships, ...rest }: ChangeResource) => ({
    ...rest,
    match: relationships.match,
    players: relationships.players.data.map(({ id }) => id).sort(),
  });
  return Bun.deepEquals(sorted(one), sorted(other as unknown as ChangeResource));
}
