/** What changes a shard: ingest, prune and redaction, each with the states before and after it. */

import { type Entry, entryOf, others, remains } from "./entry.ts";
import { key, type Thing } from "./record.ts";
import { type Contents, State } from "./state.ts";

/** What ingest reports, with all reasons to withhold a record together. */
export interface Report {
  stored: number;
  withheld: number;
  duplicate: number;
  conflict: number;
  pruned: number;
  rejected: number;
  released: number;
}

export const NOTHING: Contents = { entries: new Map(), pruned: [], cutoff: 0 };

export class Shard {
  readonly #documents = new Map<string, Thing>();
  readonly #redacted = new Set<string>();

  constructor(private readonly title?: string) {}

  /** The stored records as they were sent. */
  get documents(): ReadonlyMap<string, Thing> {
    return this.#documents;
  }

  ingest(before: State, documents: readonly Thing[], replace: boolean) {
    const entries = new Map(before.contents.entries);
    const counts = { duplicate: 0, conflict: 0, pruned: 0, rejected: 0 };
    const stored: string[] = [];
    for (const document of documents) {
      const entry = entryOf(document, this.#redacted, this.title);
      const known = this.#documents.get(entry.id);
      if (entry.at < before.contents.cutoff) counts.pruned += 1;
      else if (known && isEqual(known, document)) counts.duplicate += 1;
      else if (known && !replace) counts.conflict += 1;
      else {
        entries.set(entry.id, entry);
        this.#documents.set(entry.id, document);
        stored.push(entry.id);
      }
    }
    const after = new State(before.version + 1, { ...before.contents, entries });
    const sent = new Set(documents.map(({ data }) => String((data as Thing).id)));
    const hidden = new Set(before.withheld.map(({ id }) => id));
    const served = new Set(after.served.map(({ id }) => id));
    const report: Report = {
      ...counts,
      stored: stored.filter((id) => served.has(id)).length,
      withheld: stored.filter((id) => !served.has(id)).length,
      released: after.served.filter(({ id }) => hidden.has(id) && !sent.has(id)).length,
    };
    return { after, report };
  }

  /** Two transactions: the old matches are hidden, then they are removed. */
  prune(before: State, time: number) {
    const cutoff = Math.max(time, before.contents.cutoff);
    const entries = [...before.contents.entries.values()];
    const old = entries.filter(({ at }) => at < cutoff);
    const served = new Set(before.served);
    const removed: Contents = {
      entries: new Map(entries.filter(({ at }) => at >= cutoff).map((one) => [one.id, one])),
      pruned: [
        ...before.contents.pruned,
        ...old.map((entry) => ({ entry: remains(entry), wasServed: served.has(entry) })),
      ],
      cutoff,
    };
    for (const { id } of old) this.#documents.delete(id);
    const hidden = new State(before.version + 1, { ...before.contents, cutoff });
    return { hidden, after: new State(before.version + 2, removed), old: old.length };
  }

  /** Removes a player from everything, also from what was pruned. */
  redact(before: State, player: string): State {
    this.#redacted.add(player);
    const isNaming = (entry: Entry) => entry.included.has(`player/${player}`);
    const entries = new Map(
      [...before.contents.entries].map(([id, entry]) => [
        id,
        isNaming(entry) ? entryOf(this.#documents.get(id)!, this.#redacted, this.title) : entry,
      ]),
    );
    const pruned = before.contents.pruned.map(({ entry, wasServed }) => ({
      wasServed,
      entry: isNaming(entry) ? forgotten(entry, player) : entry,
    }));
    return new State(before.version + 1, { ...before.contents, entries, pruned });
  }
}

/** Neither the order of members nor that of related resources counts. */
function isEqual(one: Thing, other: Thing): boolean {
  const related = (document: Thing) =>
    new Map((document.included as Thing[]).map((each) => [key(each), each]));
  return Bun.deepEquals([one.data, related(one)], [other.data, related(other)]);
}

function forgotten(entry: Entry, player: string): Entry {
  const isOther = (id: string) => id !== player;
  return {
    ...entry,
    included: others(entry, new Set([player])),
    parts: entry.parts.filter(({ id }) => isOther(id)),
    sides: entry.sides.map((side) => ({ ...side, players: side.players.filter(isOther) })),
    players: entry.players.filter(isOther),
    ranked: entry.ranked.filter(isOther),
  };
}
