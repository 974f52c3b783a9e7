/** In charge of complaints about records on standard error: the first ones in full, the rest as a number. */

import { oneLine } from "../ingest/reasons.ts";
import type { Rejection } from "../ingest/records.ts";
import { note } from "./verb.ts";

/** Beyond these, complaints go to the file of rejects only. */
const MOST_COMPLAINTS = 20;

export class Complaints {
  #count = 0;

  constructor(private readonly rejectsFile: string | undefined) {}

  rejected({ origin, problems, document }: Rejection): void {
    const data = document?.data as { id?: unknown } | undefined;
    const name = typeof data?.id === "string" ? ` match ${oneLine(data.id.slice(0, 64))}` : "";
    this.add(`${origin.source}:${origin.line}: rejected${name}\n    ${problems.join("\n    ")}`);
  }

  add(text: string): void {
    this.#count += 1;
    if (this.#count <= MOST_COMPLAINTS) note(text);
  }

  end(): void {
    const more = this.#count - MOST_COMPLAINTS;
    if (more <= 0) return;
    note(
      this.rejectsFile === undefined
        ? `… and ${more} more; --rejects FILE keeps them all`
        : `… and ${more} more; the rejected ones are in ${this.rejectsFile}`,
    );
  }
}
