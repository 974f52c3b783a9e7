/** A game server that uploads matches continuously, and sends each batch until an instance acknowledges it. */

import { isServedMode, isVoidEnding, PRIVATE_MODE } from "../../../src/domain/modes.ts";
import { TOKEN, type Uploaded } from "../../support/admin.ts";

const BATCH = 20;
const PAUSE_MS = 500;
/** Delay before a batch is retried. */
const RETRY_MS = 500;
/** After this time the batch is sent to the other instance. */
export const PATIENCE_MS = 15_000;

export interface Acknowledged {
  id: string;
  /** In performance.now time. */
  at: number;
}

export class Sender {
  /** The line of each match that was sent. */
  readonly lines = new Map<string, string>();
  /** Matches that were acknowledged and must be served. */
  readonly acknowledged: Acknowledged[] = [];
  /** The attempts that were acknowledged, in performance.now time. */
  readonly successes: { at: number; until: number }[] = [];
  /** The errors of failed attempts. */
  readonly failures: string[] = [];
  #current = 0;
  #isOver = false;
  #work: Promise<void> = Promise.resolve();

  constructor(
    private readonly adminUrls: readonly string[],
    private readonly next: Iterator<string>,
  ) {}

  start(): void {
    this.#work = this.#run();
  }

  /** From now on, the first instance is used again. */
  startOver(): void {
    this.#current = 0;
  }

  /** Resolves when the current batch is acknowledged. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const batch = Array.from({ length: BATCH }, () => this.next.next().value as string);
      for (const line of batch) this.lines.set(JSON.parse(line).data.id, line);
      while (!(await this.#send(batch))) {
        this.#current += 1;
        await Bun.sleep(RETRY_MS);
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  /** Whether the whole batch is stored. */
  async #send(batch: readonly string[]): Promise<boolean> {
    const at = performance.now();
    try {
      const url = this.adminUrls[this.#current % this.adminUrls.length];
      const response = await fetch(`${url}/ingest`, {
        method: "POST",
        headers: { Authorization: `Bearer ${TOKEN}` },
        body: `${batch.join("\n")}\n`,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const { error } = (await response.json()) as Uploaded;
      if (response.ok) {
        const until = performance.now();
        for (const id of batch.flatMap(idIfServed)) this.acknowledged.push({ id, at: until });
        this.successes.push({ at, until });
        return true;
      }
      this.failures.push(error?.code ?? String(response.status));
    } catch (error) {
      this.failures.push((error as Error).message);
    }
    return false;
  }
}

/** The id of a match that is served regardless of other records; empty for other matches. */
function idIfServed(line: string): string[] {
  const { id, attributes } = JSON.parse(line).data;
  const { gameMode, stats } = attributes;
  const isServed = isServedMode(gameMode) && gameMode !== PRIVATE_MODE;
  return isServed && !isVoidEnding(stats.endGameReason) ? [id] : [];
}
