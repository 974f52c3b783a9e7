/** The only writer of a run: each step changes the shard by a command or an upload, and the model alike. */

import type { Chance } from "../hostile/chance.ts";
import type { Thing } from "../properties/reference.ts";
import { Caller } from "./caller.ts";
import type { ChangeLog } from "./change-log.ts";
import { type Entry, entryOf, remains } from "./entry.ts";
import type { History } from "./history.ts";
import { bodyOf } from "./judge.ts";
import { AT, DAY_MS } from "./pages.ts";
import { altered, type Records } from "./records.ts";
import type { Report, SoakedServer } from "./server.ts";
import { type Contents, State } from "./state.ts";

/** A prune removes fewer records in one transaction. */
const MOST_PRUNED = 190;
/** How many days of matches stay. */
const DAYS_KEPT = 10;

export const STEPS = ["upload", "ingest", "replace", "again", "prune", "redact"] as const;
export type StepKind = (typeof STEPS)[number];

export class Writer {
  readonly counts = new Map<string, number>();
  readonly problems: string[] = [];
  readonly #documents = new Map<string, Thing>();
  readonly #redacted = new Set<string>();
  #lastCursor = "oldest";

  constructor(
    private readonly chance: Chance,
    private readonly records: Records,
    private readonly server: SoakedServer,
    private readonly key: string,
    private readonly history: History,
    private readonly log: ChangeLog,
    private readonly onLogged: () => void,
  ) {}

  /** Makes a step of a kind; false if there is nothing to do for it now. */
  async step(kind: StepKind, due: number): Promise<boolean> {
    const isMade = await this.#make(kind, due);
    if (isMade) this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return isMade;
  }

  #make(kind: StepKind, due: number): Promise<boolean> | boolean {
    if (kind === "prune") return this.#prune();
    if (kind === "redact") return this.#redact();
    if (kind === "replace") return this.#store(kind, this.#replacements(), true);
    if (kind === "again") return this.#store(kind, this.#repetitions(), false);
    return this.#store(kind, this.records.next(due), false);
  }

  /** Other versions of stored records. */
  #replacements(): Thing[] {
    const ids = this.#storedIds(this.chance.between(1, 6));
    return ids.map((id) => altered(this.#documents.get(id)!, this.chance));
  }

  /** Records that are stored already, some of them with other content. */
  #repetitions(): Thing[] {
    return this.#storedIds(this.chance.between(1, 6)).map((id) => {
      const document = this.#documents.get(id)!;
      return this.chance.oneIn(2) ? altered(document, this.chance) : document;
    });
  }

  #storedIds(count: number): string[] {
    const ids = [...this.#documents.keys()];
    if (ids.length === 0) return [];
    return [...new Set(Array.from({ length: count }, () => this.chance.pick(ids)))];
  }

  async #store(kind: StepKind, documents: Thing[], replace: boolean): Promise<boolean> {
    if (documents.length === 0) return false;
    const before = this.history.last;
    const { contents, report } = this.#ingested(before, documents, replace);
    const after = new State(before.version + 1, contents);
    const isUpload = kind === "upload" || (kind !== "ingest" && this.chance.oneIn(2));
    this.history.begin(`${kind} ${documents.map(({ data }) => (data as Thing).id)}`, [after]);
    const found = await (isUpload
      ? this.server.upload(documents, replace)
      : this.server.ingest(documents, replace));
    this.history.done();
    this.#compareReports(kind, reportOf(report, documents, before, after), found);
    await this.audit(before, after);
    return true;
  }

  /** The contents after an ingest, and what happened to each record. */
  #ingested(before: State, documents: Thing[], replace: boolean) {
    const entries = new Map(before.contents.entries);
    const report = { duplicate: 0, conflict: 0, pruned: 0, stored: [] as string[] };
    for (const document of documents) {
      const entry = entryOf(document, this.#redacted);
      const known = this.#documents.get(entry.id);
      if (entry.at < before.contents.cutoff) report.pruned += 1;
      else if (known && Bun.deepEquals(known, document)) report.duplicate += 1;
      else if (known && !replace) report.conflict += 1;
      else {
        entries.set(entry.id, entry);
        this.#documents.set(entry.id, document);
        report.stored.push(entry.id);
      }
    }
    return { contents: { ...before.contents, entries }, report };
  }

  #compareReports(kind: string, expected: object, { withheld, ...report }: Report): void {
    const found = {
      ...report,
      withheld: Object.values(withheld).reduce((sum, one) => sum + one, 0),
    };
    if (Bun.deepEquals(found, expected)) return;
    const [one, other] = [found, expected].map((each) => JSON.stringify(each));
    this.problems.push(`${kind}: the report is ${one}, expected: ${other}`);
  }

  /** Two transactions: the old matches are hidden, then they are removed. */
  async #prune(): Promise<boolean> {
    const before = this.history.last;
    const entries = [...before.contents.entries.values()];
    const days = prunable(before, entries);
    if (days === undefined) return false;
    const cutoff = Date.now() - days * DAY_MS;
    const old = entries.filter(({ at }) => at < cutoff);
    const served = new Set(before.served);
    const hidden: Contents = { ...before.contents, cutoff };
    const removed: Contents = {
      entries: new Map(entries.filter(({ at }) => at >= cutoff).map((one) => [one.id, one])),
      pruned: [
        ...before.contents.pruned,
        ...old.map((entry) => ({ entry: remains(entry), wasServed: served.has(entry) })),
      ],
      cutoff,
    };
    for (const { id } of old) this.#documents.delete(id);
    const first = new State(before.version + 1, hidden);
    const after = new State(before.version + 2, removed);
    this.history.begin(`prune ${old.length} records, older than ${days} days`, [first, after]);
    const args = ["prune", AT.slice("/shards/".length), "--older-than", `${days}d`, "--json"];
    const found = JSON.parse(await this.server.command(args));
    this.history.done();
    if (found.served + found.withheld !== old.length) {
      this.problems.push(
        `prune: removed ${JSON.stringify(found)}, expected: ${old.length} records`,
      );
    }
    await this.audit(before, after);
    return true;
  }

  /** Removes a player from everything, also from what was pruned. */
  async #redact(): Promise<boolean> {
    const before = this.history.last;
    const player = this.#redactable(before);
    if (player === undefined) return false;
    this.#redacted.add(player);
    const isNaming = (entry: Entry) => entry.players.includes(player);
    const entries = new Map(
      [...before.contents.entries].map(([id, entry]) => [
        id,
        isNaming(entry) ? entryOf(this.#documents.get(id)!, this.#redacted) : entry,
      ]),
    );
    const pruned = before.contents.pruned.map(({ entry, wasServed }) => ({
      wasServed,
      entry: isNaming(entry) ? forgotten(entry, player) : entry,
    }));
    const after = new State(before.version + 1, { ...before.contents, entries, pruned });
    this.history.begin(`redact ${player}`, [after]);
    const shard = AT.slice("/shards/".length);
    // Exit code 1: a reader keeps old data in the WAL for a while.
    await this.server.command(["redact", shard, player, "--yes", "--json"], undefined, [0, 1]);
    this.history.done();
    await this.audit(before, after);
    return true;
  }

  /** A player of a few matches whose name is in no other text, which would lose it. */
  #redactable(state: State): string | undefined {
    for (let attempt = 0; attempt < 20; attempt++) {
      const id = this.chance.pick(state.playerIds);
      const matches = state.matchesOf(id);
      const isStored = matches.some((entry) => state.contents.entries.has(entry.id));
      if (!isStored || matches.length > 30) continue;
      const names = new Set(
        matches.map(({ included }) =>
          String((included.get(`player/${id}`)!.attributes as Thing).name),
        ),
      );
      const texts = matches.map(({ match, own }) => JSON.stringify([match, own]));
      const isElsewhere = [...names].some((name) => texts.some((text) => text.includes(name)));
      if (!isElsewhere) return id;
    }
    return undefined;
  }

  /** Reads what the step added to the change feed. */
  async audit(before: State, after: State): Promise<void> {
    const caller = new Caller(this.server, this.key);
    const read: Thing[] = [];
    for (;;) {
      const query = `page[after]=${this.#lastCursor}&page[limit]=200`;
      const reply = await caller.ask(`${AT}/changes?${query}`);
      const body = bodyOf(reply);
      if (reply.status !== 200) throw new Error(`changes: ${reply.status} ${reply.body}`);
      read.push(...body.data);
      this.#lastCursor = new URL(body.links.next).searchParams.get("page[after]")!;
      if (body.data.length === 0) break;
    }
    caller.close();
    const problem = this.log.append(before, after, read);
    if (problem !== undefined) this.problems.push(`changes of step ${after.version}: ${problem}`);
    this.onLogged();
  }

  /** The documents that were stored before the server was started. */
  adopt(documents: Thing[]): void {
    for (const document of documents) {
      this.#documents.set(String((document.data as Thing).id), document);
    }
  }
}

/** The age to prune by, so that one transaction removes all; undefined if there is nothing to remove. */
function prunable(state: State, entries: Entry[]): number | undefined {
  const now = Date.now();
  const age = Math.ceil((now - (state.visible.at(-1)?.at ?? now)) / DAY_MS) + DAYS_KEPT;
  for (let days = age; ; days++) {
    const cutoff = now - days * DAY_MS;
    const old = entries.filter(({ at }) => at < cutoff).length;
    if (old === 0) return undefined;
    // The command computes the cutoff itself, some moments later.
    const isClose = entries.some(({ at }) => at >= cutoff && at < cutoff + 60_000);
    if (old <= MOST_PRUNED && !isClose) return days;
  }
}

function forgotten(entry: Entry, player: string): Entry {
  const isOther = (id: string) => id !== player;
  const included = new Map(entry.included);
  included.delete(`player/${player}`);
  return {
    ...entry,
    included,
    parts: entry.parts.filter(({ id }) => isOther(id)),
    players: entry.players.filter(isOther),
    ranked: entry.ranked.filter(isOther),
  };
}

/** What ingest reports. */
function reportOf(
  counts: { duplicate: number; conflict: number; pruned: number; stored: string[] },
  documents: Thing[],
  before: State,
  after: State,
) {
  const { stored, ...rest } = counts;
  const sent = new Set(documents.map(({ data }) => String((data as Thing).id)));
  const withheldBefore = new Set(before.withheld.map(({ id }) => id));
  const served = new Set(after.served.map(({ id }) => id));
  return {
    ...rest,
    stored: stored.filter((id) => served.has(id)).length,
    withheld: stored.filter((id) => !served.has(id)).length,
    rejected: 0,
    released: after.served.filter(({ id }) => withheldBefore.has(id) && !sent.has(id)).length,
  };
}
