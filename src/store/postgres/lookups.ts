/**
 * In charge of look-ups of single matches. Those that are asked for at the same time, or while others
 * are under way, go together in one statement: under load, that halves what each of them costs.
 */

import type { Found } from "./bundles.ts";
import type { Session } from "./session.ts";

/** One is read here while the next is read there. */
const MOST_UNDER_WAY = 2;
const MOST_TOGETHER = 32;

interface Asked {
  id: string;
  resolve(found: Found): void;
  reject(error: unknown): void;
}

interface SheetRow {
  id: string;
  served: Uint8Array;
  token: string;
}

export class Lookups {
  #waiting: Asked[] = [];
  #underWay = 0;
  #isDue = false;

  constructor(private readonly session: Session) {}

  match(id: string): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      if (this.#isDue || this.#underWay >= MOST_UNDER_WAY) return;
      this.#isDue = true;
      // After all requests that have arrived by now.
      setImmediate(() => {
        this.#isDue = false;
        this.#send();
      });
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#underWay < MOST_UNDER_WAY) {
      const together = this.#waiting.splice(0, MOST_TOGETHER);
      this.#underWay += 1;
      this.#ask(together).finally(() => {
        this.#underWay -= 1;
        this.#send();
      });
    }
  }

  async #ask(together: Asked[]): Promise<void> {
    try {
      const rows = await this.session.rows<SheetRow>(
        "SELECT id, served, token FROM {state} JOIN {sheets} ON id = ANY($1::text[])",
        [together.map(({ id }) => id)],
      );
      for (const { id, resolve } of together) resolve(foundIn(rows, id));
    } catch (error) {
      // The others have waited as long, and for the same database.
      for (const { reject } of [...together, ...this.#waiting.splice(0)]) reject(error);
    }
  }
}

/** There are few: to look through them is the quickest. */
function foundIn(rows: readonly SheetRow[], id: string): Found {
  const row = rows.find((one) => one.id === id);
  return row ? { token: row.token, matches: [row] } : NOT_FOUND;
}

/** Where nothing was found, any state will do. */
const NOT_FOUND: Found = { token: "", matches: [] };
