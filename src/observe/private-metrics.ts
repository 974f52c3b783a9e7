/** In charge of the metrics of the private listener: its requests, and the records that come in there. */

import type { AdminRequestEvent, UploadEvent } from "./events.ts";
import { Counter, type Family, LabelledCounter } from "./family.ts";

/** What may become of a record, by the words of the event. */
const OUTCOMES = ["stored", "withheld", "duplicate", "conflict", "rejected"] as const;

export class PrivateMetrics {
  readonly #requests = new LabelledCounter(
    "matchbook_admin_requests_total",
    "Answered requests of the private listener",
    "status",
  );
  readonly #records = new LabelledCounter(
    "matchbook_uploaded_records_total",
    "Records that were uploaded, by what became of them",
    "outcome",
  );
  readonly #broken = new Counter(
    "matchbook_broken_uploads_total",
    "Uploads that broke off before their end",
  );

  constructor() {
    for (const outcome of OUTCOMES) this.#records.add(outcome, 0);
  }

  noteRequest({ status }: AdminRequestEvent): void {
    this.#requests.add(String(status));
  }

  noteUpload(event: UploadEvent): void {
    for (const outcome of OUTCOMES) this.#records.add(outcome, event[outcome]);
    if (event.broken !== undefined) this.#broken.add();
  }

  families(): Family[] {
    return [this.#requests, this.#records, this.#broken];
  }
}
