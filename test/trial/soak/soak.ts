/**
 * A soak: mixed reads at a set rate while records and players change and workers are replaced. Every response is
 * compared with a model of what was ingested.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ChangeLog } from "../../model/change-log.ts";
import { Questions } from "../../model/questions.ts";
import { NOTHING, Shard } from "../../model/shard.ts";
import { State } from "../../model/state.ts";
import { ndjson } from "../../support/admin.ts";
import { Chance } from "../../support/chance.ts";
import type { RawReply } from "../../support/connection.ts";
import { matchbookAt } from "../../support/places.ts";
import { until } from "../../support/state.ts";
import { aFolder } from "../../support/world.ts";
import { History } from "./history.ts";
import { Judge } from "./judge.ts";
import { Readers } from "./readers.ts";
import { MATCHES, Records, SHARD } from "./records.ts";
import { memoryOf, type Sample } from "./samples.ts";
import { DEPTH, SoakedServer } from "./server.ts";
import { STEPS, Writer } from "./writer.ts";

export interface SoakOptions {
  seed: number;
  /** Requests per second, over all connections. */
  rate: number;
  /** How long to run. */
  minutes?: number;
  /** In place of minutes: how often each kind of change is made. The run ends when it has seen enough besides. */
  rounds?: number;
  /** With rounds: whether workers are replaced meanwhile. */
  hasRestart?: boolean;
  hasEnough?(judge: Judge): boolean;
  /** Records in all; a third of them is there at the beginning. */
  matches?: number;
  /** Where the shard is stored in place of the data folder. */
  postgres?: string;
  sampleSeconds: number;
  /** Called every few seconds. */
  onProgress?(seconds: number, judge: Judge): void;
  /** Changes a response before it is judged, to see that the comparison finds it. */
  tamper?(kind: string, reply: RawReply): Buffer;
}

export type SoakResult = Awaited<ReturnType<typeof soak>>;

/** Between two changes. */
const PAUSE_MS = 2000;
/** Workers are replaced until then, and at the very end. In between, their memory is watched, once their caches are full. */
const RESTARTS_END_SECONDS = 300;
const RESTART_PAUSE_SECONDS = 60;
/** Hero statistics from PostgreSQL can be a second old. A busy machine takes longer. */
const STALE_MS = 5000;
/** How long to wait for requests of every kind. */
const PATIENCE_SECONDS = 400;
/** A broken server gives no better report later. */
const MOST_MISMATCHES = 20;
/** Of each change; records arrive more often than players are redacted. */
const WEIGHTS: Record<(typeof STEPS)[number], number> = {
  ...{ upload: 5, ingest: 3, replace: 4, again: 1, prune: 3, redact: 1 },
};

export async function soak(options: SoakOptions) {
  const folder = aFolder();
  try {
    return await new Soak(options, join(folder.path, "data")).run();
  } finally {
    folder.remove();
  }
}

class Soak {
  readonly #chance: Chance;
  readonly #problems: string[] = [];
  #restarts = 0;
  #began = performance.now();

  constructor(
    private readonly options: SoakOptions,
    private readonly data: string,
  ) {
    this.#chance = new Chance(options.seed, 0);
  }

  async run() {
    const { seed, rate, matches = MATCHES, postgres } = this.options;
    mkdirSync(this.data, { recursive: true });
    SoakedServer.configure(this.data, postgres);
    const records = new Records(new Chance(seed, 1), seed, Date.now(), matches);
    const first = records.next(Math.floor(matches / 3));
    const key = await this.#prepare(ndjson(first));

    const shard = new Shard();
    const nothing = new State(0, NOTHING);
    const { after: state } = shard.ingest(nothing, first, false);
    const history = new History(state, postgres ? STALE_MS : 0);
    const log = new ChangeLog();
    const judge = new Judge(history, log, this.options.tamper);
    const server = await SoakedServer.start(this.data);
    const writer = new Writer(
      ...([new Chance(seed, 2), records, shard, server, key, history, log] as const),
      () => judge.logged(),
    );
    await writer.audit(nothing, state);
    const readers = new Readers({
      ...{ server, rate, chance: new Chance(seed, 4), history, judge, key },
      questions: new Questions(new Chance(seed, 5), log, DEPTH, postgres !== undefined),
    });
    this.#began = performance.now();
    const samples: Sample[] = [];
    const sampling = setInterval(
      () => samples.push({ seconds: this.#seconds(), mebibytes: memoryOf(server.pids) }),
      this.options.sampleSeconds * 1000,
    );
    const isBroken = () =>
      judge.mismatches.length >= MOST_MISMATCHES ||
      writer.problems.length + readers.lost.length > 0;
    const tell = () => this.options.onProgress?.(this.#seconds(), judge);
    const progress = setInterval(tell, 10_000);
    try {
      await Promise.all([this.#change(writer, records, isBroken), this.#restart(server, isBroken)]);
      const { hasEnough, tamper } = this.options;
      const isOver = () => hasEnough?.(judge) !== false || (!tamper && isBroken());
      await until("enough responses", isOver, PATIENCE_SECONDS);
    } catch (error) {
      this.#problems.push(String(error));
    }
    clearInterval(progress);
    clearInterval(sampling);
    await readers.stop();
    const errors = await server.stop();
    judge.logged();
    const verified = await matchbookAt(this.data, ["verify", SHARD, "--full-speed"]);
    return {
      responses: judge.responses,
      /** How many of each kind. */
      kinds: judge.kinds,
      changes: new Map([...writer.counts, ["restart", this.#restarts] as const]),
      mismatches: judge.mismatches,
      /** What went wrong besides. */
      problems: [
        ...[...writer.problems, ...this.#problems, ...errors],
        ...readers.lost.map((one) => `a request got no response: ${one}`),
        ...(verified.exitCode === 0 ? [] : [`verify: ${verified.stdout}${verified.stderr}`]),
      ],
      steps: history.recent(),
      refused: readers.refused,
      processes: readers.processes.size,
      samples,
    };
  }

  /** Stores the first records and creates the main key. */
  async #prepare(records: string): Promise<string> {
    const stored = await matchbookAt(this.data, ["ingest", "-"], records);
    if (stored.exitCode !== 0) throw new Error(`the first records: ${stored.stderr}`);
    const made = await matchbookAt(this.data, ["keys", "create", "--name", "main"]);
    if (made.exitCode !== 0) throw new Error(`the main key: ${made.stderr}`);
    return made.stdout.trim();
  }

  #seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  /** How much of the run is over, from 0 to 1. */
  #share(): number {
    return this.#seconds() / 60 / (this.options.minutes ?? 1);
  }

  async #change(writer: Writer, records: Records, isBroken: () => boolean): Promise<void> {
    if (this.options.rounds !== undefined) {
      return this.#rounds(this.options.rounds, writer, records, isBroken);
    }
    const table = STEPS.map((kind) => ({ kind, weight: WEIGHTS[kind] }));
    while (this.#share() < 1 && !isBroken()) {
      const due = Math.floor((records.total * (1 + 2 * this.#share())) / 3) - records.taken;
      const isMade = await writer.step(this.#chance.weigh(table).kind, Math.min(60, due));
      if (isMade) await Bun.sleep(PAUSE_MS);
    }
  }

  /** Every kind of change in turn. */
  async #rounds(
    rounds: number,
    writer: Writer,
    records: Records,
    isBroken: () => boolean,
  ): Promise<void> {
    const each = Math.ceil((records.total * 2) / 3 / (2 * rounds));
    for (let round = 0; round < rounds && !isBroken(); round++) {
      for (const kind of STEPS) await writer.step(kind, each);
    }
  }

  async #restart(server: SoakedServer, isBroken: () => boolean): Promise<void> {
    const restart = async () => {
      await server.restart();
      this.#restarts += 1;
    };
    if (this.options.rounds !== undefined) return this.options.hasRestart ? restart() : undefined;
    const end = this.options.minutes! * 60;
    let due = RESTART_PAUSE_SECONDS / 2;
    while (this.#seconds() < end && !isBroken()) {
      await Bun.sleep(500);
      const isTime =
        this.#seconds() < RESTARTS_END_SECONDS || this.#seconds() > end - RESTART_PAUSE_SECONDS;
      if (this.#seconds() < due || !isTime) continue;
      await restart();
      due = this.#seconds() + RESTART_PAUSE_SECONDS;
    }
  }
}
