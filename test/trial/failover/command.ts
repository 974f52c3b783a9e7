/** Runs one `matchbook ingest` process through all faults and feeds it continuously. */

import { recordsIn } from "../../../src/ingest/report.ts";
import { spawnMatchbook } from "../../support/process.ts";
import { repeatedly } from "../../support/repeatedly.ts";
import type { Ledger } from "../ledger.ts";

const BATCH = 20;
const PAUSE_MS = 500;

export class IngestCommand {
  /** How many lines were written to it. */
  sent = 0;
  /** Its output on standard error. */
  output = "";
  readonly #lines: Iterator<string>;
  readonly #child: ReturnType<typeof spawnMatchbook>;
  readonly #listening: Promise<void>;
  #stop = async () => {};

  constructor(
    flags: readonly string[],
    lines: Iterator<string>,
    private readonly ledger: Ledger,
  ) {
    this.#lines = lines;
    this.#child = spawnMatchbook(["ingest", "-", "--json", "--batch", String(BATCH), ...flags]);
    this.#listening = this.#listen();
  }

  start(): void {
    this.#stop = repeatedly(1, () => this.#feed(), PAUSE_MS);
  }

  /** Resolves when it has exited, with its exit code and report. */
  async finish(): Promise<{ exitCode: number; records: number }> {
    await this.#stop();
    await this.#child.stdin.end();
    const stdout = await new Response(this.#child.stdout).text();
    const exitCode = await this.#child.exited;
    await this.#listening;
    return { exitCode, records: stdout === "" ? 0 : recordsIn(JSON.parse(stdout)) };
  }

  async #feed(): Promise<void> {
    const batch = Array.from({ length: BATCH }, () => this.#lines.next().value as string);
    this.sent += BATCH;
    this.ledger.attempt(batch);
    this.#child.stdin.write(`${batch.join("\n")}\n`);
    // Settles when it has been read: while the database is unavailable, nothing more is written.
    await this.#child.stdin.flush();
  }

  async #listen(): Promise<void> {
    for await (const piece of this.#child.stderr) this.output += Buffer.from(piece).toString();
  }
}
