/** Opens the shards for commands, and reports unknown shard ids. */

import { closing } from "../domain/awaitable.ts";
import type { Event } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import type { Shards } from "../store/shards.ts";
import type { Writer } from "../store/store.ts";
import { nearest } from "../text/nearest.ts";
import { describeError } from "../text/system-errors.ts";
import { CommandError, note } from "./command.ts";

/** The argument of commands that take one shard. */
export const SHARD = { "<shard>": "shard id" };
/** The argument of commands that take any number of shards, or all. */
export const SHARDS = { "[shards...]": "shard ids; all shards by default" };

type ShardSettings = Parameters<typeof openShards>[0];

/** Opens the shards without changing them, e.g. those of a backup; "write" is for commands that take a shard's lock. */
export async function withShards<T>(
  settings: ShardSettings,
  work: (shards: Shards) => Promise<T>,
  access: "read" | "write" = "read",
): Promise<T> {
  await using shards = closing(openShards(settings, noteIgnored, undefined, access));
  return await work(shards);
}

export function noteIgnored(event: Event): void {
  if (event.event === "file-ignored") note(`Ignored: ${describeError(event.error as Error)}`);
}

/** Opens one shard. Throws CommandError if it does not exist or is empty. */
export const withShard = <T>(
  settings: ShardSettings,
  id: string,
  work: (writer: Writer, shards: Shards) => Promise<T>,
  access?: "read" | "write",
): Promise<T> =>
  withShards(
    settings,
    async (shards) => {
      const writer = await shards.existingWriter(id);
      if (writer) return work(writer, shards);
      chosenShards(await shards.list(), [id]);
      throw new CommandError(`shard ${id} has no records yet`);
    },
    access,
  );

/** The shards that a command names, else all. Throws CommandError if one does not exist. */
export function chosenShards(ids: readonly string[], wanted: readonly string[]): readonly string[] {
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown === undefined) return wanted.length > 0 ? [...new Set(wanted)] : ids;
  const guess = nearest(unknown, ids);
  throw new CommandError(
    `there is no shard ${JSON.stringify(unknown)}; ${guess ? `did you mean ${guess}? ` : ""}shards: ${ids.join(", ") || "none yet"}`,
  );
}

export const noShardsYet = ({ data }: Pick<Settings, "data">, hint: string): string =>
  `No shards in ${data} yet: ${hint}.`;
