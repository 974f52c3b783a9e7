/** The place of one run: a data folder, a server process, what is sent to it, and readers. */

import { appendFileSync, chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoDocuments } from "../../../src/demo/demo.ts";
import { recordsIn } from "../../../src/ingest/report.ts";
import { TOKEN, type Uploaded, uploadTo } from "../../support/admin.ts";
import { Chance } from "../../support/chance.ts";
import { writeLines } from "../../support/demo.ts";
import { shardsFile } from "../../support/places.ts";
import {
  asProcess,
  type Finished,
  matchbook,
  PROGRAM,
  RUNTIME_OPTIONS,
} from "../../support/process.ts";
import { isAlive, startWorkers } from "../../support/workers.ts";
import { aFolder } from "../../support/world.ts";
import { Ledger } from "../ledger.ts";
import { Readers, type Target } from "./readers.ts";

/** As in the settings, so that a batch has several transactions. */
const BATCH = 15;
/** Fewer entries than players, so that boards end at it. */
export const DEPTH = 30;
/** The records of a seed are the same for a day. */
const DAY_MS = 86_400_000;
const HANG_MS = 120_000;
/** Errors of uploads that admin.md describes for a shard or a disk that fails. */
const UPLOAD_ERRORS = ["shard-unavailable", "disk-full", "uploads-busy", "stopping"];

export interface ServerOptions {
  workers?: number;
  flags?: readonly string[];
  /** A command line that runs another: strace with its options, for example. */
  wrap?: readonly string[];
  env?: Record<string, string>;
}

/** How a run sends records; "mixed" is uploads with a command now and then. */
export type Way = "upload" | "command" | "mixed";

export class Scene {
  readonly random: Chance;
  readonly folder = aFolder();
  readonly ledger: Ledger;
  readonly readers: Readers;
  readonly target: Target = { url: "", key: "", epoch: 0, isDown: true };
  /** Whether the fault happened: a kill can come too late, an injected error can miss. */
  hasHit = false;
  /** How many records were not acknowledged when it happened for the first time. */
  openAtHit = 0;
  /** Damage that a command or the server has named. */
  readonly named: string[] = [];
  /** What is not as documented, besides responses. */
  readonly problems: string[] = [];
  /** Events in the logs of all servers of the run. */
  readonly events = new Map<string, number>();
  server: Awaited<ReturnType<typeof startWorkers>> | undefined;
  adminUrl = "";
  #place: string | undefined;
  #toml = "";
  #data: string;
  readonly #lines: string[];
  readonly #cleanups: (() => Promise<void> | void)[] = [];

  constructor(
    readonly seed: number,
    matches = 0,
  ) {
    this.random = new Chance(seed);
    const count = matches || this.random.between(80, 200);
    const until = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const documents = demoDocuments({ matches: count, seed, until, shards: ["na"] });
    this.#lines = Array.from(documents, (one) => JSON.stringify(one));
    this.ledger = new Ledger(this.#lines);
    const ids = this.#lines.map((line) => JSON.parse(line).data.id as string);
    this.readers = new Readers(this.target, this.ledger, [...ids, "never-sent"], seed);
    this.#data = join(this.folder.path, "data");
  }

  get data(): string {
    return this.#data;
  }

  /** The shard's file, if it is one. */
  get file(): string {
    return join(this.#data, "na.db");
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** What the run chose, for its line in the output. */
  readonly choices: string[] = [];

  /** The fault happens now. */
  hit(): void {
    if (!this.hasHit) this.openAtHit = this.ledger.open.length;
    this.hasHit = true;
  }

  note(choice: string): void {
    this.choices.push(choice);
  }

  /** Runs at the end, last one first. */
  cleanup(work: () => Promise<void> | void): void {
    this.#cleanups.push(work);
  }

  /** Writes the settings and creates a key. `place` is a URL; without it the shard is a file in the data folder. */
  async prepare(options: { place?: string; data?: string; toml?: string } = {}): Promise<void> {
    this.#place = options.place;
    this.#toml = options.toml ?? "";
    if (options.data !== undefined) this.#data = options.data;
    if (this.enter.length === 0) mkdirSync(this.#data, { recursive: true });
    this.writeSettings();
    const { stdout, stderr } = await this.command(["keys", "create", "--name", "faults"]);
    this.target.key = stdout.trim();
    if (this.target.key === "") throw new Error(`no key: ${stderr}`);
  }

  writeSettings(): void {
    const config = shardsFile(this.#config, { na: this.#place });
    appendFileSync(config, this.#toml);
  }

  /** Not in the data folder, which may be full or read-only. */
  get #config(): string {
    return join(this.folder.path, "matchbook.toml");
  }

  get flags(): string[] {
    return ["--data", this.#data, "--config", this.#config];
  }

  /** A copy of the shard's file as it is now, without its WAL. */
  copyOfFile(): void {
    copyFileSync(this.file, this.olderCopy);
  }

  get olderCopy(): string {
    return join(this.folder.path, "older.db");
  }

  /** Uses another path to the same data. */
  moveTo(data: string): void {
    this.#data = data;
  }

  /** Words before every command line: what enters the namespace of a disk. */
  enter: readonly string[] = [];

  /** Runs a command to its end, if possible in a process that stays for the next one. */
  command(args: string[]): Promise<Finished> {
    const all = [...args, ...this.flags];
    return this.enter.length > 0 ? asProcess(all, this.#program()) : matchbook(all);
  }

  async startServer(options: ServerOptions = {}): Promise<void> {
    const { workers = this.random.pick([1, 2]), flags = [], wrap, env = {} } = options;
    const server = await startWorkers(
      [
        ...this.flags,
        ...["--workers", String(workers), "--admin-port", "0", "--drain-ms", "0"],
        ...["--rate", "100000000", "--matches-per-day", "0", "--open-requests-per-minute", "0"],
        ...["--batch", String(BATCH), "--leaderboard-depth", String(DEPTH), ...flags],
      ],
      { env: { MATCHBOOK_ADMIN_TOKEN: TOKEN, ...env }, ...this.#program(wrap) },
    );
    this.server = server;
    this.adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
    this.target.url = server.url;
    this.target.epoch += 1;
    this.target.isDown = false;
  }

  /** Ends the server, normally or by a kill. */
  async stopServer(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    this.target.isDown = true;
    this.target.epoch += 1;
    const exitCode = await server.end(signal);
    if (signal === "SIGTERM" && exitCode !== 0) {
      this.problems.push(`the server ended with ${exitCode} after SIGTERM`);
    }
    for (const { event } of server.log) {
      this.events.set(event, (this.events.get(event) ?? 0) + 1);
    }
  }

  /** Whether the server process is there. An injected signal may have ended it. */
  get isServing(): boolean {
    return this.server !== undefined && isAlive(this.server.pid);
  }

  /** Sends records in batches of random size, several if possible. Those that are not acknowledged stay open. */
  async send(lines: readonly string[], way: Way = "mixed"): Promise<void> {
    const most = Math.min(40, Math.max(5, Math.floor(lines.length / 3)));
    for (let at = 0; at < lines.length; ) {
      const size = this.random.between(5, most);
      const batch = lines.slice(at, at + size);
      const isCommand = way === "command" || (way === "mixed" && this.random.share(0.15));
      if (isCommand) await this.ingest(batch);
      else await this.upload(batch);
      at += size;
    }
  }

  /** Sends what is open until everything is acknowledged, as an operator or a game server would. */
  async sendOpen(way: Way = "upload", tries = 30): Promise<void> {
    for (let left = tries; this.ledger.open.length > 0; left--) {
      if (left === 0) {
        this.problems.push(`not accepted in ${tries} tries: ${this.#lastRefusal}`);
        return;
      }
      await this.send(this.ledger.open, way);
      if (this.ledger.open.length > 0) await Bun.sleep(200);
    }
  }

  #lastRefusal = "";

  /** One upload. Whether all of it was acknowledged. */
  async upload(lines: readonly string[]): Promise<boolean> {
    const { epoch } = this.target;
    this.ledger.attempt(lines);
    try {
      const signal = AbortSignal.timeout(HANG_MS);
      const body = `${lines.join("\n")}\n`;
      return this.#judgeUpload(lines, await uploadTo(this.adminUrl, body, "", {}, signal));
    } catch (error) {
      this.#lastRefusal = String(error);
      const isCut = this.target.isDown || epoch !== this.target.epoch || !this.isServing;
      if (!isCut || (error as Error).name === "TimeoutError") {
        this.problems.push(`no response to an upload: ${error}`);
      }
      return false;
    }
  }

  #judgeUpload(lines: readonly string[], { status, report, error }: Uploaded): boolean {
    if (status === 200) {
      this.ledger.acknowledge(lines);
      return true;
    }
    this.#lastRefusal = `${status} ${JSON.stringify(error)}`;
    if (!UPLOAD_ERRORS.includes(error?.code ?? "") && !this.allowedRefusals.has(error?.code ?? ""))
      this.problems.push(`an upload got ${this.#lastRefusal}`);
    // Everything that the report counts is durable, and it counts from the start.
    if (report && error?.code !== "records-not-stored")
      this.ledger.acknowledge(lines.slice(0, recordsIn(report)));
    return false;
  }

  /** Further codes of uploads that the fault explains. */
  readonly allowedRefusals = new Set<string>();

  /** One `matchbook ingest`, in a process of its own. */
  async ingest(lines: readonly string[], wrap?: readonly string[]): Promise<Finished> {
    this.ledger.attempt(lines);
    const done = await asProcess(this.ingestArgs(lines), this.#program(wrap));
    this.judgeIngest(lines, done);
    return done;
  }

  /** The arguments of a command that ingests these lines, from a file or from its standard input. */
  ingestArgs(lines: readonly string[], file = join(this.folder.path, "records.ndjson")): string[] {
    if (file !== "-") writeLines(file, lines);
    return ["ingest", file, "--json", "--wait", "20", "--batch", String(BATCH), ...this.flags];
  }

  /** Its report is the acknowledgement. Without one, the command must say why. */
  judgeIngest(lines: readonly string[], { exitCode, stdout, stderr }: Finished): void {
    if (exitCode === 0) this.ledger.acknowledge(lines);
    else this.#lastRefusal = `matchbook ingest ended with ${exitCode}: ${stderr}`;
    const isKilled = exitCode >= 128;
    if (exitCode !== 0 && !isKilled && stdout === "" && !/^matchbook: .+/m.test(stderr)) {
      this.problems.push(this.#lastRefusal);
    }
    if (/internal error/.test(stderr)) this.problems.push(`matchbook ingest: ${stderr}`);
  }

  #wrappers = 0;

  /** A program that runs Matchbook under another one. */
  #program(wrap: readonly string[] = []): { program?: string } {
    const words = [...this.enter, ...wrap];
    if (words.length === 0) return {};
    const program = join(this.folder.path, `matchbook-${this.#wrappers++}`);
    const quoted = words.map((word) => `'${word}'`).join(" ");
    const options = Object.entries(RUNTIME_OPTIONS).map((one) => one.join("="));
    const script = ["#!/bin/sh", `export ${options.join(" ")}`, `exec ${quoted} ${PROGRAM} "$@"`];
    writeFileSync(program, script.join("\n"));
    chmodSync(program, 0o755);
    return { program };
  }

  async end(): Promise<void> {
    await this.readers.stop();
    if (this.server) await this.stopServer("SIGKILL");
    for (const work of this.#cleanups.toReversed()) await work();
    this.folder.remove();
  }
}
