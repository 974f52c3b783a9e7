/** In charge of going through a shard in PostgreSQL in steps: every record, every player, every team. */

import type { Fate, KeptRecord, NamedHolding, Spot } from "../store.ts";
import { keptRecord, type RecordRow, SERVED_RECORD, WITHHELD_RECORD } from "./matches.ts";
import type { NamedTable } from "./numbers.ts";
import type { Connection } from "./session.ts";

/** Before every match. */
const BEGINNING: Spot = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

interface NamedRow {
  id: string;
  resource: Uint8Array;
  companions: Uint8Array | null;
}

export class HeldRows {
  constructor(private readonly connection: Connection) {}

  async records(
    after: { fate: Fate; match: Spot } | undefined,
    limit: number,
  ): Promise<KeptRecord[]> {
    if (after?.fate.state === "withheld") return this.#withheld(after.match.id, limit);
    const served = await this.#served(after?.match ?? BEGINNING, limit);
    const room = limit - served.length;
    return room === 0 ? served : [...served, ...(await this.#withheld("", room))];
  }

  async named(table: NamedTable, afterId: string, limit: number): Promise<NamedHolding[]> {
    const rows = await this.connection.rows<NamedRow>(
      `SELECT id, resource, companions FROM {${table}} WHERE id > $1 ORDER BY id LIMIT $2`,
      [afterId, limit],
    );
    return rows.map((row) => ({ ...row, companions: row.companions ?? undefined }));
  }

  /** The time alone is said as well: it tells which months need not be looked at. */
  async #served({ createdAt, id }: Spot, limit: number): Promise<KeptRecord[]> {
    const rows = await this.connection.rows<RecordRow>(
      `SELECT ${SERVED_RECORD} FROM
         (SELECT * FROM {matches}
          WHERE created_at >= $1::bigint AND (created_at, id) > ($1::bigint, $2)
          ORDER BY created_at, id LIMIT $3) AS next
       JOIN {sheets} USING (created_at, id) ORDER BY created_at, id`,
      [createdAt, id, limit],
    );
    return rows.map(keptRecord);
  }

  async #withheld(afterId: string, limit: number): Promise<KeptRecord[]> {
    const rows = await this.connection.rows<RecordRow>(
      `SELECT ${WITHHELD_RECORD} FROM {withheld} WHERE id > $1 ORDER BY id LIMIT $2`,
      [afterId, limit],
    );
    return rows.map(keptRecord);
  }
}
