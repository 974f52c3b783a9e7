/** In charge of telling what became of each record of an upload, one line of JSON for each. */

import type { Outcome } from "../ingest/commit-batch.ts";
import type { SettledRecord } from "../ingest/ingest.ts";
import { oneLine } from "../ingest/reasons.ts";
import type { Rejection } from "../ingest/records.ts";

/** Lines are sent at the end of each batch, or when they are this long together. */
const MOST_CHARACTERS = 1 << 20;

/** Rejections wait for the records before them to be stored, as long as they are not too many. */
const MOST_WAITING_CHARACTERS = 4 << 20;

export class Results {
  #gathered = "";
  #waiting: { place: number; text: string }[] = [];
  #waitingCharacters = 0;

  constructor(private readonly send: (text: string) => void) {}

  /** A record that is durable now. */
  settled({ origin, place, id, shard }: SettledRecord, outcome: Outcome): void {
    this.#tellWaiting(place);
    const { kind, ...reason } = outcome;
    this.#tell(written({ line: origin.line, id, shard, outcome: kind, ...reason }));
  }

  rejected({ origin, problems, document }: Rejection, place: number): void {
    const data = document?.data as { id?: unknown } | undefined;
    const id = typeof data?.id === "string" ? oneLine(data.id.slice(0, 64)) : undefined;
    const text = written({ line: origin.line, id, outcome: "rejected", problems });
    this.#waiting.push({ place, text });
    this.#waitingCharacters += text.length;
    if (this.#waitingCharacters > MOST_WAITING_CHARACTERS) this.#tellWaiting();
  }

  /** Sends what was told so far. */
  flush(): void {
    if (this.#gathered !== "") this.send(this.#gathered);
    this.#gathered = "";
  }

  /** All records have been told of. */
  end(): void {
    this.#tellWaiting();
    this.flush();
  }

  /** Those up to a place, or all. */
  #tellWaiting(upTo = Number.POSITIVE_INFINITY): void {
    const later = this.#waiting.findIndex(({ place }) => place > upTo);
    for (const { text } of this.#waiting.splice(0, later < 0 ? this.#waiting.length : later)) {
      this.#waitingCharacters -= text.length;
      this.#tell(text);
    }
  }

  #tell(text: string): void {
    this.#gathered += text;
    if (this.#gathered.length > MOST_CHARACTERS) this.flush();
  }
}

const written = (line: object) => `${JSON.stringify(line)}\n`;
