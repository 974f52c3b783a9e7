/** Reads a shard's file that nobody else uses, and verifies every row of it. */

import { formatTimestamp } from "../domain/time.ts";
import { type Digest, digestOf } from "../export/digest.ts";
import { unobserved } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import { formatIn } from "../sqlite/copy.ts";
import type { Counts, Writer } from "../store/store.ts";
import type { ShardCounts, ShardFile } from "./manifest.ts";
import type { StartProgress } from "./progress.ts";

type Content = Pick<ShardFile, "format" | "counts" | "digest">;

/** Undefined if there are no tables in the file. Throws StoreError if it is damaged. */
export async function contentOf(
  id: string,
  path: string,
  startProgress: StartProgress,
): Promise<Content | undefined> {
  const format = formatIn(path);
  const location = { engine: "sqlite", path } as const;
  const shards = openShards(
    { data: "", shards: [{ id, location }] },
    unobserved,
    undefined,
    "read",
  );
  try {
    const writer = await shards.existingWriter(id);
    return writer && { format, ...(await verified(writer, `${id}: verify`, startProgress)) };
  } finally {
    await shards.close();
  }
}

export interface Verified {
  counts: ShardCounts;
  digest: string;
}

/** The counts and the digest of a shard, which no one else may write to meanwhile. */
export async function verified(
  writer: Writer,
  label: string,
  startProgress: StartProgress,
): Promise<Verified> {
  const counts = await writer.counts();
  const progress = startProgress(label, counts.served + counts.players + counts.teams, "matches");
  try {
    const { digest }: Digest = await writer.survey((contents) =>
      digestOf(contents, ({ matches, players, teams }) =>
        progress.update(matches + players + teams, matches),
      ),
    );
    return { counts: shownCounts(counts), digest };
  } finally {
    progress.stop();
  }
}

/** Counts as the manifest has them, without the size. */
export function shownCounts(counts: Omit<Counts, "bytes">): ShardCounts {
  const { served, withheld, players, teams, newestMatch } = counts;
  const newest = newestMatch === undefined ? null : formatTimestamp(newestMatch);
  return { served, withheld, players, teams, newestMatch: newest };
}
