/** In charge of finding out whether a transaction happened whose end nobody heard of. */

import { StoreAway } from "../store.ts";
import type { CommitInDoubt } from "./failures.ts";
import { takeTurn } from "./open.ts";
import type { Session } from "./session.ts";

/** How long a database may be away until the doubt remains: a failover takes less. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

/**
 * Whether the transaction of this token is part of the shard. Asked in turn with the writers: by then
 * it is over, one way or the other. Throws the doubt itself when the database stays away.
 */
export async function isConcluded(
  session: Session,
  token: string,
  turnPatienceMs: number,
  doubt: CommitInDoubt,
): Promise<boolean> {
  const began = performance.now();
  for (;;) {
    try {
      return await session.transaction("READ COMMITTED", async (connection) => {
        await takeTurn(connection, session, turnPatienceMs);
        const rows = await connection.rows("SELECT 1 FROM {changes} WHERE token = $1", [token]);
        return rows.length > 0;
      });
    } catch (error) {
      if (!(error instanceof StoreAway) || performance.now() - began > PATIENCE_MS) throw doubt;
      await Bun.sleep(PAUSE_MS);
    }
  }
}
