/** In charge of a game server that sends its matches all the while, and sends again what was not taken. */

import { isServedMode, isVoidEnding, PRIVATE_MODE } from "../../src/domain/modes.ts";
import { TOKEN, type Uploaded } from "../support/admin.ts";

const BATCH = 50;
const PAUSE_MS = 150;
/** Before the same batch is sent again. */
const RETRY_MS = 500;
/** Beyond this the connection counts as dead. */
const PATIENCE_MS = 120_000;

export class Sender {
  /** Every line that was sent, in order: what another store must get to hold the same. */
  readonly sent: string[] = [];
  /** Matches that were acknowledged, and must be served. */
  readonly served: string[] = [];
  /** When each batch was acknowledged as a whole, by the clock of performance.now. */
  readonly acknowledged: number[] = [];
  /** The errors that came instead. */
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

  /** Whether all of it is stored. */
  async #send(batch: readonly string[]): Promise<boolean> {
    try {
      const reply = await fetch(`${this.#adminUrl}/ingest`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}` },
        body: `${batch.join("\n")}\n`,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const { error } = (await reply.json()) as Uploaded;
      if (reply.ok) {
        this.served.push(...batch.flatMap(idIfServed));
        return true;
      }
      this.failures.push(error?.code ?? String(reply.status));
    } catch (error) {
      this.failures.push((error as Error).message);
    }
    return false;
  }
}

/** The id of a match that is served whatever else is stored; nothing of others. */
function idIfServed(line: string): string[] {
  const { id, attributes } = JSON.parse(line).data;
  const { gameMode, stats } = attributes;
  const isServed = isServedMode(gameMode) && gameMode !== PRIVATE_MODE;
  return isServed && !isVoidEnding(stats.endGameReason) ? [id] : [];
}
