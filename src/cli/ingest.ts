/** `matchbook ingest`: stores records from files or standard input in their shards. */

import { accessSync, constants, fstatSync, statSync } from "node:fs";
import { isShardId } from "../domain/identifiers.ts";
import { ingestOptions, ingest as ingestSources } from "../ingest/ingest.ts";
import type { Rejection } from "../ingest/records.ts";
import { oneLine } from "../ingest/reject-reasons.ts";
import { RejectsFile } from "../ingest/rejects-file.ts";
import { isComplete, type Report, recordsIn } from "../ingest/report.ts";
import { type RetryOptions, RetryTimeout } from "../ingest/retry.ts";
import { readSource, STANDARD_INPUT, sourceName } from "../ingest/source.ts";
import { unobserved } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { wholeNumber } from "../settings/parsers.ts";
import { describeError } from "../text/system-errors.ts";
import { defineCommand, flagValue, note, UsageError } from "./command.ts";
import { startProgress } from "./progress.ts";
import { table } from "./table.ts";

interface Flags {
  shard?: string;
  rejects?: string;
  replace?: true;
  wait: string;
}

const LONGEST_WAIT_SECONDS = 86_400;

export const ingest = defineCommand<Flags>({
  name: "ingest",
  summary: "store match documents from files or standard input",
  description:
    "store match documents: a single document, a JSON array or NDJSON, optionally as gzip or zstd.\n" +
    "Exit codes: 0 all records are stored, withheld, duplicates or pruned; 1 some are rejected or conflicting;\n" +
    "2 wrong usage; 3 a database was unavailable. It is safe to run the command again.",
  arguments: { "<file...>": `files to read; ${STANDARD_INPUT} for standard input` },
  options: {
    "--shard <ID>": "shard of records without one; records of other shards are rejected",
    "--replace": "replace stored records that have the same id and different content",
    "--rejects <FILE>": "write rejected records and the reasons to this file",
    "--wait <SECONDS>": ["how long to wait for an unavailable database", "120"],
  },
  json: "print the report as one JSON object",
  settings: ["title-id", "batch", "max-record-bytes"],
  examples: {
    "matchbook ingest matches.ndjson.gz": "ingest a file",
    "matchbook demo --matches 1000 | matchbook ingest -": "ingest demo data",
    "matchbook ingest day.ndjson --rejects bad.ndjson":
      "keep rejected records in a file, to fix them",
  },
  async run({ settings, flags }, files: string[]) {
    const waitSeconds = flagValue("--wait", flags.wait, wholeNumber(0, LONGEST_WAIT_SECONDS));
    checkFlags(files, flags);
    const report = await ingestFiles(files, flags, settings, patience(waitSeconds));
    if (recordsIn(report) === 0) note(`No records in ${files.map(sourceName).join(", ")}.`);
    if (!isComplete(report)) process.exitCode = 1;
    return { json: report, text: reportTable(report) };
  },
});

function checkFlags(files: string[], { shard, rejects }: Flags): void {
  if (files.filter((file) => file === STANDARD_INPUT).length > 1) {
    throw new UsageError(`${STANDARD_INPUT} (standard input) can be given only once`);
  }
  if (shard !== undefined && !isShardId(shard)) {
    throw new UsageError(
      `invalid --shard "${shard}": must be 1 to 32 characters from a-z, 0-9 and "-"`,
    );
  }
  for (const file of files.filter((one) => one !== STANDARD_INPUT)) {
    try {
      accessSync(file, constants.R_OK);
    } catch {
      throw new UsageError(`cannot read ${file}: check the path and its permissions`);
    }
    if (statSync(file).isDirectory())
      throw new UsageError(`${file} is a folder: specify the files in it`);
  }
  if (rejects !== undefined && files.some((file) => isSameFile(file, rejects))) {
    throw new UsageError(`--rejects ${rejects} would overwrite an input file: choose another file`);
  }
}

/** Reports the wait for a shard when it begins and when it ends. */
function patience(seconds: number): RetryOptions {
  return {
    longestMs: seconds * 1000,
    onWait: (shard, error) =>
      note(`Waiting up to ${seconds} s for shard ${shard}: ${describeError(error)}`),
    onReturn: (shard, waitedMs) =>
      note(`Shard ${shard} is available again after ${Math.round(waitedMs / 1000)} s.`),
  };
}

async function ingestFiles(
  files: string[],
  flags: Flags,
  settings: Settings,
  waiting: RetryOptions,
): Promise<Report> {
  const rejects = flags.rejects === undefined ? undefined : openRejects(flags.rejects);
  const shards = openShards(settings, unobserved);
  const problems = problemLog(flags.rejects);
  const progress = startProgress("ingest", totalSize(files));
  let bytesRead = 0;
  try {
    return await ingestSources(
      files.map((file) => ({
        name: sourceName(file),
        bytes: readSource(file, (bytes) => {
          bytesRead += bytes;
        }),
      })),
      {
        ...ingestOptions(settings, shards, flags.shard),
        replace: flags.replace === true,
        patience: waiting,
        onRejection(rejection) {
          rejects?.add(rejection);
          problems.rejected(rejection);
        },
        onConflict: (id, shard, { source, line }) =>
          problems.add(
            `${source}:${line}: conflict: ${shard} has a different match ${id}; use --replace to replace it`,
          ),
        onProgress: (soFar) => progress.update(bytesRead, recordsIn(soFar)),
      },
    );
  } catch (error) {
    throw error instanceof RetryTimeout ? gaveUp(error, waiting) : error;
  } finally {
    progress.stop();
    problems.end();
    rejects?.close();
    await shards.close();
  }
}

function gaveUp(error: RetryTimeout, { longestMs }: RetryOptions): RetryTimeout {
  const message = `${describeError(error)}. Gave up after ${longestMs / 1000} s. Stored records are safe: run the command again when the database is available; records that are already stored count as duplicates`;
  return new RetryTimeout(message);
}

function openRejects(path: string): RejectsFile {
  try {
    return new RejectsFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === "ENOENT" ? "its folder does not exist; create it, or choose another file" : message;
    throw new UsageError(`cannot write --rejects ${path}: ${reason}`, { cause: error });
  }
}

function reportTable(report: Report): string {
  const { withheld, ...counts } = report;
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
  const reasons = Object.entries(withheld).map(([reason, count]) => [
    `withheld (${reason})`,
    String(count),
  ]);
  rows.splice(1, 0, ...reasons);
  return table(rows);
}

function totalSize(files: string[]): number {
  if (files.includes(STANDARD_INPUT)) return 0;
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Whatever their names: there are links, and standard input has none. */
function isSameFile(input: string, output: string): boolean {
  const options = { bigint: true, throwIfNoEntry: false } as const;
  try {
    const one = input === STANDARD_INPUT ? fstatSync(0, options) : statSync(input, options);
    const other = statSync(output, options);
    // Devices, e.g. /dev/null or a terminal, are not overwritten.
    if (!one || !other || other.isCharacterDevice()) return false;
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    // Standard input may be closed. What cannot be written is reported when it is opened.
    return false;
  }
}

/** Further problems are only counted, and written to the rejects file. */
const MOST_PROBLEMS = 20;

/** Notes problems with records on standard error. */
function problemLog(rejectsFile: string | undefined) {
  let count = 0;
  const add = (text: string) => {
    count += 1;
    if (count <= MOST_PROBLEMS) note(text);
  };
  return {
    add,
    rejected({ origin, problems, document }: Rejection) {
      const data = document?.data as { id?: unknown } | undefined;
      const name = typeof data?.id === "string" ? ` match ${oneLine(data.id.slice(0, 64))}` : "";
      add(`${origin.source}:${origin.line}: rejected${name}\n    ${problems.join("\n    ")}`);
    },
    end() {
      const advice =
        rejectsFile === undefined
          ? "use --rejects FILE to keep them all"
          : `see ${rejectsFile} for rejected records`;
      if (count > MOST_PROBLEMS) note(`… and ${count - MOST_PROBLEMS} more; ${advice}`);
    },
  };
}
