/** Opens the shards for commands, and reports unknown shard ids. */

import type { Event } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import type { Shards } from "../store/shards.ts";
import type { Writer } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import { CommandError, note } from "./command.ts";
import { describeError } from "./system-errors.ts";

/** Opens the shards without changing them, e.g. those of a backup; "write" is for commands that take a shard's lock. */
export async function withShards<T>(
  settings: Parameters<typeof openShards>[0],
  work: (shards: Shards) => Promise<T>,
  access: "read" | "write" = "read",
): Promise<T> {
  const shards = openShards(settings, noteIgnored, undefined, access);
  try {
    return await work(shards);
  } finally {
    await shards.close();
  }
}

export function noteIgnored(event: Event): void {
  if (event.event === "file-ignored") note(`Ignored: ${describeError(event.error as Error)}`);
}

/** Throws CommandError if the shard does not exist or is empty. */
export async function existingShard(
  shards: Pick<Shards, "existingWriter" | "list">,
  id: string,
): Promise<Writer> {
  const writer = await shards.existingWriter(id);
  if (writer) return writer;
  const ids = await shards.list();
  if (!ids.includes(id)) throw unknownShard(id, ids);
  throw new CommandError(`shard ${id} has no records yet`);
}

export function unknownShard(id: string, ids: readonly string[]): CommandError {
  const guess = nearest(id, ids);
  return new CommandError(
    `there is no shard ${JSON.stringify(id)}; ${guess ? `did you mean ${guess}? ` : ""}shards: ${ids.join(", ") || "none yet"}`,
  );
}
