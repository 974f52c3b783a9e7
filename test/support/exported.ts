/** Exports a shard within this process, as `matchbook export` does. */

import { type ExportOptions, exportRecords } from "../../src/export/export.ts";
import { inSteps } from "../../src/export/scan.ts";
import type { ShardContents, Writer } from "../../src/store/store.ts";
import type { MatchDocument } from "./records.ts";

/** The documents of the whole shard na, in their order; the ones with `meta` alone are not matches. */
export async function exportedFrom(
  writer: Pick<Writer, "survey">,
  options: Partial<ExportOptions> = {},
  contents: ShardContents = inSteps(writer),
): Promise<MatchDocument[]> {
  let lines = "";
  for await (const { bytes } of exportRecords(contents, {
    shard: "na",
    withheld: true,
    ...options,
  })) {
    lines += Buffer.from(bytes).toString();
  }
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
