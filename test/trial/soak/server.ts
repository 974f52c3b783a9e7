/** The server of a run: a process with workers, its commands and its admin listener. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../../src/ingest/report.ts";
import type { Thing } from "../../model/record.ts";
import { ndjson, TOKEN, uploadTo } from "../../support/admin.ts";
import { matchbookAt, shardsFile } from "../../support/places.ts";
import { until } from "../../support/state.ts";
import { childrenOf, startWorkers } from "../../support/workers.ts";
import { SHARD } from "./records.ts";

/** Fewer entries than players, so that boards end at it. */
export const DEPTH = 300;
/** Events of this level and above fail a run. */
const ERROR = 50;
const WORKERS = 2;
/** They drain for about fifteen seconds each. A busy machine takes longer. */
const RESTART_SECONDS = 300;

export class SoakedServer {
  private constructor(
    readonly data: string,
    private readonly server: Awaited<ReturnType<typeof startWorkers>>,
    readonly adminUrl: string,
  ) {}

  /** Writes the settings of a data folder: the shard in it, or in a database. */
  static configure(data: string, postgres: string | undefined): void {
    const config = shardsFile(join(data, "matchbook.toml"), { [SHARD]: postgres });
    appendFileSync(config, "\n[tiers.soak]\nchanges-per-minute = 100000000\n");
  }

  static async start(data: string): Promise<SoakedServer> {
    const flags = [
      ...["--data", data, "--config", join(data, "matchbook.toml"), "--workers", `${WORKERS}`],
      ...["--rate", "100000000", "--matches-per-day", "0", "--open-requests-per-minute", "0"],
      ...["--leaderboard-depth", `${DEPTH}`, "--admin-port", "0", "--log-level", "warn"],
    ];
    const server = await startWorkers(flags, { env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } });
    const adminUrl = await server.saying(/^admin listener on (\S+)\n/m);
    return new SoakedServer(data, server, adminUrl);
  }

  get url(): string {
    return this.server.url;
  }

  /** The supervisor and its workers. */
  get pids(): number[] {
    return [this.server.pid, ...childrenOf(this.server.pid)];
  }

  /** Runs a command on the data folder. Throws unless it ends with one of these codes. */
  async command(args: string[], stdin?: string, codes: number[] = [0]): Promise<string> {
    const { exitCode, stdout, stderr } = await matchbookAt(this.data, args, stdin);
    if (codes.includes(exitCode)) return stdout;
    throw new Error(`matchbook ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
  }

  async ingest(documents: Thing[], replace: boolean): Promise<Report> {
    const args = ["ingest", "-", "--json", ...(replace ? ["--replace"] : [])];
    return JSON.parse(await this.command(args, ndjson(documents), [0, 1]));
  }

  async upload(documents: Thing[], replace: boolean): Promise<Report> {
    const query = replace ? "?replace=true" : "";
    const { status, report } = await uploadTo(this.adminUrl, ndjson(documents), query);
    if (status === 200 || status === 422) return report;
    throw new Error(`the upload was refused with ${status}`);
  }

  /** Whether workers are being replaced, so that some of them close. */
  isReplacing = false;

  /** Replaces all workers, one after another. */
  async restart(): Promise<void> {
    this.isReplacing = true;
    const before = childrenOf(this.server.pid);
    this.server.child.kill("SIGHUP");
    await until(
      "all workers are replaced",
      () => {
        const now = childrenOf(this.server.pid);
        return now.length === WORKERS && !now.some((pid) => before.includes(pid));
      },
      RESTART_SECONDS,
    );
    this.isReplacing = false;
  }

  /** Returns what must not happen: events of the log, and another exit code than 0. */
  async stop(): Promise<string[]> {
    const exitCode = await this.server.end();
    const errors = this.server.log.filter(({ level }) => level >= ERROR);
    return [
      ...errors.map((one) => `in the log: ${JSON.stringify(one)}`),
      ...(exitCode === 0 ? [] : [`the server ended with ${exitCode}`]),
    ];
  }
}
