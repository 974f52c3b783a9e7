/** Simulates bugs in the service, which is how a test gets a 500. */

import { SqliteReader } from "../../src/store/sqlite/reader.ts";

/** Requests for this player fail with an unexpected error. */
export const BUGGY_PLAYER = "player-bug";

/** Affects all servers of this process, until the returned function is called. */
export function simulateBug(): () => void {
  const { players } = SqliteReader.prototype;
  SqliteReader.prototype.players = function (this: SqliteReader, ids) {
    if (ids.includes(BUGGY_PLAYER)) throw new Error("this is a bug");
    return players.call(this, ids);
  };
  return () => {
    SqliteReader.prototype.players = players;
  };
}
