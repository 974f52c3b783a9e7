/** Ingests raw lines, whatever they contain, and looks up their outcome. */

import { ingest } from "../../../src/ingest/ingest.ts";
import type { Rejection } from "../../../src/ingest/records.ts";
import type { Report } from "../../../src/ingest/report.ts";
import { unobserved } from "../../../src/observe/events.ts";
import { openShards } from "../../../src/open-stores.ts";
import type { Settings } from "../../../src/settings/definitions.ts";

export interface Taken {
  report: Report;
  /** By line number, starting at 1. */
  rejections: Map<number, Rejection[]>;
}

/** Does what `matchbook ingest` does with a file of these lines, at a given time. */
export const takeIn = (settings: Settings, lines: Iterable<Buffer>, now: number): Promise<Taken> =>
  takeInFile(settings, asFile(lines), now);

/** The same with any file. */
export async function takeInFile(
  settings: Settings,
  bytes: AsyncIterable<Uint8Array>,
  now: number,
): Promise<Taken> {
  const shards = openShards(settings, unobserved);
  const rejections = new Map<number, Rejection[]>();
  try {
    const report = await ingest([{ name: "hostile", bytes }], {
      writer: (id) => shards.writer(id),
      clock: () => now,
      replace: false,
      threads: 0,
      batch: settings.batch,
      context: {
        shard: undefined,
        shards: shards.allowed,
        titleId: settings["title-id"],
        longest: settings["max-record-bytes"],
      },
      onRejection(rejection) {
        const { line } = rejection.origin;
        rejections.set(line, [...(rejections.get(line) ?? []), rejection]);
      },
      onConflict() {},
      onProgress() {},
    });
    return { report, rejections };
  } finally {
    await shards.close();
  }
}

async function* asFile(lines: Iterable<Buffer>): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield Buffer.concat([line, Buffer.from("\n")]);
}

/** Four hundred characters, every one of them written as an escape. */
const LONGEST_REASON = 2400;

/** One line of reasonable length, without terminal control characters. */
export function isReadable(reason: string): boolean {
  return (
    reason.length >= 8 &&
    reason.length <= LONGEST_REASON &&
    !/\p{Cc}|\p{Cs}|[\u2028-\u202e\u2066-\u2069]/u.test(reason)
  );
}
