/** Exports a shard within this process, as `matchbook export` does. */

import { exportRecords } from "../../src/export/export.ts";
import type { Writer } from "../../src/store/store.ts";
import type { MatchDocument } from "./records.ts";

/**
 * The documents of the shard, in their order; the ones with `meta` alone are not matches. `meanwhile` is called
 * when the export has begun.
 */
export async function exportedFrom(
  writer: Pick<Writer, "survey">,
  shard = "na",
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<MatchDocument[]> {
  let lines = "";
  await writer.survey(async (contents) => {
    // A state is that of the first read.
    await contents.prunedBefore();
    await meanwhile();
    const chunks = exportRecords(contents, shard);
    for await (const { bytes } of chunks) lines += Buffer.from(bytes).toString();
  });
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
