/** The only writer of a run: each step changes the shard by a command or an upload, and the model alike. */

import type { Report } from "../../../src/ingest/report.ts";
import type { ChangeLog } from "../../model/change-log.ts";
import type { Entry } from "../../model/entry.ts";
import { AT, DAY_MS } from "../../model/pages.ts";
import type { Thing } from "../../model/record.ts";
import type { Shard } from "../../model/shard.ts";
import type { State } from "../../model/state.ts";
import type { Chance } from "../../support/chance.ts";
import { Caller } from "./caller.ts";
import type { History } from "./history.ts";
import { bodyOf } from "./judge.ts";
import { altered, type Records, SHARD } from "./records.ts";
import type { SoakedServer } from "./server.ts";

/** A prune removes fewer records in one transaction. */
const MOST_PRUNED = 190;
/** How many days of matches stay. */
const DAYS_KEPT = 10;

export const STEPS = ["upload", "ingest", "replace", "again", "prune", "redact"] as const;
export type StepKind = (typeof STEPS)[number];

export class Writer {
  readonly counts = new Map<string, number>();
  readonly problems: string[] = [];
  #lastCursor = "oldest";

  constructor(
    private readonly chance: Chance,
    private readonly records: Records,
    private readonly shard: Shard,
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
    return ids.map((id) => altered(this.shard.documents.get(id)!, this.chance));
  }

  /** Records that are stored already, some of them with other content. */
  #repetitions(): Thing[] {
    return this.#storedIds(this.chance.between(1, 6)).map((id) => {
      const document = this.shard.documents.get(id)!;
      return this.chance.oneIn(2) ? altered(document, this.chance) : document;
    });
  }

  #storedIds(count: number): string[] {
    const ids = [...this.shard.documents.keys()];
    if (ids.length === 0) return [];
    return [...new Set(Array.from({ length: count }, () => this.chance.pick(ids)))];
  }

  async #store(kind: StepKind, documents: Thing[], replace: boolean): Promise<boolean> {
    if (documents.length === 0) return false;
    const before = this.history.last;
    const { after, report } = this.shard.ingest(before, documents, replace);
    const isUpload = kind === "upload" || (kind !== "ingest" && this.chance.oneIn(2));
    this.history.begin(`${kind} ${documents.map(({ data }) => (data as Thing).id)}`, [after]);
    const found = await (isUpload
      ? this.server.upload(documents, replace)
      : this.server.ingest(documents, replace));
    this.history.done();
    this.#compareReports(kind, report, found);
    await this.audit(before, after);
    return true;
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
    const { hidden, after, old } = this.shard.prune(before, Date.now() - days * DAY_MS);
    this.history.begin(`prune ${old} records, older than ${days} days`, [hidden, after]);
    const args = ["prune", SHARD, "--older-than", `${days}d`];
    const found = await this.server.command(args);
    this.history.done();
    const removed = [...found.matchAll(/ removed +(\d+)$/gm)].map(([, count]) => Number(count));
    if (removed.reduce((sum, count) => sum + count, 0) !== old) {
      this.problems.push(`prune: removed ${found}, expected: ${old} records`);
    }
    await this.audit(before, after);
    return true;
  }

  /** Removes a player from everything, also from what was pruned. */
  async #redact(): Promise<boolean> {
    const before = this.history.last;
    const player = this.#redactable(before);
    if (player === undefined) return false;
    const after = this.shard.redact(before, player);
    this.history.begin(`redact ${player}`, [after]);
    // Exit code 1: a reader keeps old data in the WAL for a while.
    await this.server.command(["redact", SHARD, player, "--yes", "--json"], undefined, [0, 1]);
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
    const caller = new Caller(this.server);
    const read: Thing[] = [];
    for (;;) {
      const query = `page[after]=${this.#lastCursor}&page[limit]=200`;
      const reply = await caller.ask(`${AT}/changes?${query}`, Caller.headers(this.key));
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
