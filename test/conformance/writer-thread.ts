/** A thread that renames all players of a shard together, repeatedly, until it is stopped. */

import { Session } from "../../src/store/postgres/session.ts";
import { PostgresWriter } from "../../src/store/postgres/writer.ts";
import { openForWriting } from "../../src/store/sqlite/open.ts";
import { SqliteWriter } from "../../src/store/sqlite/writer.ts";
import { PLAYERS, renamed } from "./entries.ts";

/** The shard: a file, or a location in PostgreSQL. */
export type ShardPlace = string | ConstructorParameters<typeof Session>[0];

declare const self: Worker;
let isOver = false;

self.onmessage = async ({ data }: MessageEvent<ShardPlace | "end">) => {
  if (data === "end") isOver = true;
  else await write(data);
};

async function write(place: ShardPlace): Promise<void> {
  const writer =
    typeof place === "string"
      ? new SqliteWriter(openForWriting(place, "na"))
      : new PostgresWriter(new Session(place), "na");
  for (let round = 1; !isOver; round++) {
    await writer.write(async (transaction) => {
      // One at a time, so that partial states could be seen.
      for (const id of PLAYERS) await transaction.putPlayers([renamed(id, round)]);
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.close();
  self.postMessage("ended");
}
