/** In charge of one core's work on the demo data: makes shares and takes them in, as they are handed over. */

import { demoDocuments } from "../demo/demo.ts";
import { ingest } from "../ingest/ingest.ts";
import { recordsIn } from "../ingest/report.ts";
import { unobserved } from "../observe/events.ts";
import { openShards } from "../wiring.ts";
import type { Share } from "./demo-plan.ts";
import { type IngestSettings, ingestOptions } from "./ingest.ts";

export interface Job {
  share: Share;
  settings: IngestSettings;
}

/** Sent again and again while a share is being taken in. */
export interface Progressed {
  records: number;
  done: boolean;
  problem?: string;
}

declare const self: Worker;

self.onmessage = async ({ data: { share, settings } }: MessageEvent<Job>) => {
  const shards = openShards(settings, unobserved);
  let problem: string | undefined;
  try {
    const report = await ingest([{ name: "demo data", bytes: lines(share) }], {
      ...ingestOptions(settings, shards, undefined),
      replace: false,
      // Every core makes a shard already.
      threads: 0,
      onRejection: ({ problems }) => {
        problem ??= problems.join("; ");
      },
      onConflict: () => {},
      onProgress: (soFar) => say({ records: recordsIn(soFar), done: false }),
    });
    say({ records: recordsIn(report), done: true, ...(problem ? { problem } : {}) });
  } catch (error) {
    say({ records: 0, done: true, problem: (error as Error).message });
  } finally {
    await shards.close();
  }
};

const say = (progressed: Progressed) => self.postMessage(progressed);

async function* lines({ shard, ...share }: Share): AsyncGenerator<Uint8Array> {
  for (const document of demoDocuments({ ...share, shards: [shard] })) {
    yield Buffer.from(`${JSON.stringify(document)}\n`);
  }
}
