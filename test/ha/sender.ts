/** In charge of a game server that sends its matches all the while, and sends again what was not taken. */

import { linesIn, TOKEN } from "../support/admin.ts";

const BATCH = 50;
const PAUSE_MS = 150;
/** Before the same batch is sent again. */
const RETRY_MS = 500;
/** Beyond this the connection counts as dead. */
const PATIENCE_MS = 120_000;

export class Sender {
  /** Every line that was sent, in order: what another store must get to hold the same. */
  readonly sent: string[] = [];
  /** Matches that were acknowledged as stored, and so are served. */
  readonly served: string[] = [];
  /** When each batch was acknowledged as a whole, by the clock of performance.now. */
  readonly acknowledged: number[] = [];
  /** What came instead of a report. */
  readonly failures: string[] = [];
  readonly #adminUrl: string;
  readonly #lines: Iterator<string>;
  #isOver = false;
  #work: Promise<void> = Promise.resolve();

  constructor(adminUrl: string, lines: Iterator<string>) {
    this.#adminUrl = adminUrl;
    this.#lines = lines;
  }

  start(): void {
    this.#work = this.#run();
  }

  /** Resolves when the batch under way is acknowledged. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const batch = Array.from({ length: BATCH }, () => this.#lines.next().value as string);
      this.sent.push(...batch);
      while (!(await this.#send(batch))) await Bun.sleep(RETRY_MS);
      this.acknowledged.push(performance.now());
      await Bun.sleep(PAUSE_MS);
    }
  }

  /** Whether all of it was taken. What is acknowledged before a break counts as well. */
  async #send(batch: readonly string[]): Promise<boolean> {
    try {
      const reply = await fetch(`${this.#adminUrl}/ingest`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}` },
        body: `${batch.join("\n")}\n`,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const { lines, last } = linesIn(await reply.text());
      // A retry may find it stored already: the acknowledgement was lost, not the match.
      for (const { id, outcome } of lines) if (outcome === "stored") this.served.push(id!);
      if (last.report && last.error === undefined) return true;
      this.failures.push(last.error?.code ?? `${reply.status} ${JSON.stringify(last)}`);
    } catch (error) {
      this.failures.push((error as Error).message);
    }
    return false;
  }
}
