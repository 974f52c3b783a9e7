/** `matchbook export`: writes the records of a shard as NDJSON that ingest takes back. */

import { parseTimestamp, TIMESTAMP_EXAMPLE } from "../domain/time.ts";
import { exportRecords } from "../export/export.ts";
import { inSteps } from "../export/scan.ts";
import type { Settings } from "../settings/definitions.ts";
import type { Writer } from "../store/store.ts";
import {
  type AddCommand,
  note,
  print,
  settingsOf,
  UsageError,
  withExamples,
  withSettings,
} from "./command.ts";
import { type Compression, compressed, compressionOf } from "./compress.ts";
import { OutputFile, writeToStdout } from "./output.ts";
import { startProgress } from "./progress.ts";
import { existingShard, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

interface Flags {
  output?: string;
  force?: true;
  since?: string;
  withheld: boolean;
  compress?: string;
  json?: true;
}

interface Summary {
  served: number;
  withheld: number;
  /** As written, after compression. */
  bytes: number;
}

const STANDARD_OUTPUT = "-";

export const exportShard: AddCommand = (program) => {
  const command = program
    .command("export")
    .summary("write the records of a shard as NDJSON")
    .description(
      "write the original records of a shard, one document per line.\n" +
        "Ingested into an empty shard, they give the same digest. For that, an export of all records also has " +
        "lines with the redacted players, with what pruned matches add to lifetime records, and with the prune " +
        "cutoff; with --since or --no-withheld it has none of them.\n" +
        "Reads and ingest continue meanwhile. Every record that is stored unchanged from " +
        "the start to the end is exported. One that becomes served or withheld meanwhile " +
        "may come twice (ingest counts a duplicate). Records that arrive or are replaced " +
        "meanwhile may be missing, and so may one that becomes withheld and served again. " +
        "If matches are pruned or players redacted meanwhile, the export fails: run it again.\n" +
        "Exit codes: 1 it failed, or a record is damaged; then FILE is not written.\n" +
        "2 wrong usage.",
    )
    .argument("<shard>", "shard id")
    .option(
      "--output <FILE>",
      `file to write; without it, or with ${STANDARD_OUTPUT}, standard output`,
    )
    .option("--force", "replace an existing file")
    .option(
      "--since <TIME>",
      `only records created at or after this time, e.g. ${TIMESTAMP_EXAMPLE}. Records that arrived later, but with an ` +
        "older time, are not among them: export everything now and then.",
    )
    .option("--no-withheld", "leave out withheld records")
    .option("--compress <FORMAT>", "gzip, zstd or none (default: by the end of FILE, .gz or .zst)")
    .option("--json", "print the counts as one JSON object")
    .action(async (shard: string, flags: Flags) => {
      const since = flags.since === undefined ? undefined : readTime(flags.since);
      const file = flags.output === STANDARD_OUTPUT ? undefined : flags.output;
      const compression = compressionOf(flags.compress, file);
      const output = file === undefined ? undefined : new OutputFile(file, flags.force === true);
      const settings = settingsOf(command).values;
      const summary = await withShards(settings, async (shards) =>
        writeExport(
          await existingShard(shards, shard),
          { ...flags, shard, since, compression },
          output,
          settings,
        ),
      );
      const counts = flags.json
        ? JSON.stringify({ shard, file: file ?? null, ...summary })
        : table(Object.entries(summary).map(([name, count]) => [name, String(count)]));
      if (file === undefined) note(counts);
      else print(counts);
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook export na --output na.ndjson.zst", "export all records of na, compressed"],
    [
      "matchbook export na --since 2026-03-01T00:00:00Z --output march.ndjson.gz",
      "only newer ones",
    ],
    [
      "matchbook export na | matchbook ingest - --data /srv/other",
      "copy a shard to another data folder",
    ],
  ]);
};

interface ExportFlags {
  shard: string;
  since: number | undefined;
  withheld: boolean;
  compression: Compression;
}

async function writeExport(
  writer: Writer,
  { shard, since, withheld, compression }: ExportFlags,
  output: OutputFile | undefined,
  settings: Settings,
): Promise<Summary> {
  const summary = { served: 0, withheld: 0, bytes: 0 };
  let longest = 0;
  const counts = await writer.counts();
  const all = Object.values(counts.withheld).reduce((sum, count) => sum + count, counts.served);
  const progress = startProgress("export", since === undefined && withheld ? all : 0);
  async function* lines() {
    for await (const chunk of exportRecords(inSteps(writer), { shard, since, withheld })) {
      summary.served += chunk.served;
      summary.withheld += chunk.withheld;
      longest = Math.max(longest, chunk.longest);
      yield chunk.bytes;
      const done = summary.served + summary.withheld;
      progress.update(done, done);
    }
  }
  async function* counted() {
    for await (const bytes of compressed(lines(), compression)) {
      summary.bytes += bytes.length;
      yield bytes;
    }
  }
  try {
    await (output ? output.write(counted()) : writeToStdout(counted()));
  } finally {
    progress.stop();
  }
  if (longest > settings["max-record-bytes"]) {
    note(`The longest record has ${longest} bytes: ingest it with --max-record-bytes ${longest}.`);
  }
  return summary;
}

function readTime(text: string): number {
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw new UsageError(
    `invalid --since "${text}": must be a timestamp with a time zone, e.g. ${TIMESTAMP_EXAMPLE}`,
  );
}
