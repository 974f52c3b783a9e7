/** Writes the records of a shard as gzip-compressed NDJSON, from one consistent state, with its counts and digest. */

import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { noneWithheld } from "../domain/visibility.ts";
import { digestOf } from "../export/digest.ts";
import { exportRecords } from "../export/export.ts";
import type { ShardContents, Writer } from "../store/store.ts";
import type { ShardFile } from "./manifest.ts";
import type { StartProgress } from "./progress.ts";
import { shownCounts } from "./shard-file.ts";

type Content = Pick<ShardFile, "format" | "counts" | "digest" | "longestRecord">;

/** Writes to the file at `path`. Throws StoreError when something is damaged. */
export async function exportShard(
  writer: Writer,
  shard: string,
  path: string,
  startProgress: StartProgress,
): Promise<Content> {
  const { served, withheld, players, teams } = await writer.counts();
  const records = Object.values(withheld).reduce((sum, count) => sum + count, served);
  return writer.survey(async (contents) => {
    const exporting = startProgress(`${shard}: export`, records, "matches");
    const longestRecord = await writeRecords(contents, shard, path, (done) =>
      exporting.update(done, done),
    ).finally(exporting.stop);
    const verifying = startProgress(`${shard}: verify`, served + players + teams, "matches");
    const tally = new Tally();
    const digest = await digestOf(tally.counting(contents), (done) =>
      verifying.update(done.matches + done.players + done.teams, done.matches),
    ).finally(verifying.stop);
    return {
      format: "ndjson",
      counts: shownCounts({ ...tally, players: digest.players, teams: digest.teams }),
      digest: digest.digest,
      longestRecord,
    };
  });
}

/** Returns the size of the longest line. */
async function writeRecords(
  contents: ShardContents,
  shard: string,
  path: string,
  onProgress: (records: number) => void,
): Promise<number> {
  let longestLine = 0;
  let records = 0;
  async function* lines() {
    for await (const chunk of exportRecords(contents, { shard, withheld: true })) {
      longestLine = Math.max(longestLine, chunk.longest);
      records += chunk.served + chunk.withheld;
      onProgress(records);
      yield chunk.bytes;
    }
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path));
  return longestLine;
}

/** Counts records as they are read, in the state that is being read: the counts of the store may be newer. */
class Tally {
  served = 0;
  readonly withheld = noneWithheld();
  newestMatch: number | undefined;

  counting(contents: ShardContents): ShardContents {
    return {
      ...contents,
      records: async (after, limit) => {
        const batch = await contents.records(after, limit);
        for (const { fate, match } of batch) {
          if (fate.state === "withheld") this.withheld[fate.reason] += 1;
          else {
            this.served += 1;
            // Served matches come in the order of their times.
            this.newestMatch = match.createdAt;
          }
        }
        return batch;
      },
    };
  }
}
