/** In charge of going through a shard's SQLite file in steps: every record, every player, every team. */

import type { Fate, KeptRecord, NamedHolding, Spot } from "../store.ts";
import { keptRecord, type RecordColumns, SERVED_RECORDS, WITHHELD_RECORDS } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** Before every match. */
const BEGINNING: Spot = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

interface NamedColumns {
  id: string;
  resource: Uint8Array;
  companions: Uint8Array | null;
}

export class HeldRows {
  constructor(private readonly statements: Statements) {}

  records(after: { fate: Fate; match: Spot } | undefined, limit: number): KeptRecord[] {
    if (after?.fate.state === "withheld") return this.#withheld(after.match.id, limit);
    const served = this.#served(after?.match ?? BEGINNING, limit);
    const room = limit - served.length;
    return room === 0 ? served : [...served, ...this.#withheld("", room)];
  }

  named(table: "players" | "teams", afterId: string, limit: number): NamedHolding[] {
    return this.statements
      .get<NamedColumns>(
        `SELECT id, resource, companions FROM ${table} WHERE id > ? ORDER BY id LIMIT ${limit}`,
      )
      .all(afterId)
      .map((row) => ({ ...row, companions: row.companions ?? undefined }));
  }

  #served({ createdAt, id }: Spot, limit: number): KeptRecord[] {
    return this.statements
      .get<RecordColumns>(
        `${SERVED_RECORDS} WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ${limit}`,
      )
      .all(createdAt, id)
      .map(keptRecord);
  }

  #withheld(afterId: string, limit: number): KeptRecord[] {
    return this.statements
      .get<RecordColumns>(`${WITHHELD_RECORDS} WHERE id > ? ORDER BY id LIMIT ${limit}`)
      .all(afterId)
      .map(keptRecord);
  }
}
