/** A worker thread of `matchbook quickstart`: creates and ingests the demo matches of one shard at a time. */

import { demoDocuments } from "../demo/demo.ts";
import { ingest } from "../ingest/ingest.ts";
import { recordsIn } from "../ingest/report.ts";
import { unobserved } from "../observe/events.ts";
import { openShards } from "../open-stores.ts";
import { type IngestSettings, ingestOptions } from "./ingest.ts";

/** The demo matches of one shard. Shards are filled in parallel. */
export interface Share {
  shard: string;
  matches: number;
  seed: number;
  until: number;
}

export interface Job {
  share: Share;
  settings: IngestSettings;
}

/** Sent repeatedly while the matches of a shard are ingested. */
export interface DemoProgress {
  records: number;
  done: boolean;
  problem?: string;
}

declare const self: Worker;

self.onmessage = async ({ data: { share, settings } }: MessageEvent<Job>) => {
  const shards = openShards(settings, unobserved);
  let problem: string | undefined;
  try {
    const counts = await ingest([{ name: "demo data", bytes: lines(share) }], {
      ...ingestOptions(settings, shards, undefined),
      replace: false,
      // Every core works on a shard already.
      threads: 0,
      onRejection: ({ problems }) => {
        problem ??= problems.join("; ");
      },
      onConflict: () => {},
      onProgress: (soFar) => report({ records: recordsIn(soFar), done: false }),
    });
    report({ records: recordsIn(counts), done: true, ...(problem ? { problem } : {}) });
  } catch (error) {
    report({ records: 0, done: true, problem: (error as Error).message });
  } finally {
    await shards.close();
  }
};

const report = (progress: DemoProgress) => self.postMessage(progress);

async function* lines({ shard, ...share }: Share): AsyncGenerator<Uint8Array> {
  for (const document of demoDocuments({ ...share, shards: [shard] })) {
    yield Buffer.from(`${JSON.stringify(document)}\n`);
  }
}
