/** Stores for one case: a data folder with the shard na, what was ingested into it, its digest and its export. */

import { digestOf } from "../../../src/export/digest.ts";
import { plainBytes } from "../../../src/ingest/source.ts";
import { unobserved } from "../../../src/observe/events.ts";
import { openShards } from "../../../src/open-stores.ts";
import type { Settings } from "../../../src/settings/definitions.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { addEmptyShard } from "../../support/empty-shard.ts";
import { exportedFrom } from "../../support/exported.ts";
import type { MatchDocument } from "../../support/records.ts";
import { aFolder } from "../../support/world.ts";
import { type Taken, takeInFile } from "./intake.ts";

/** The clock of every ingest. */
export const NOW = Date.parse("2026-01-01T00:00:00Z");

export interface Store {
  settings: Settings;
  remove(): void;
}

/** With the empty shard na, or without any. */
export async function aStore(batch = "2000", hasShard = true): Promise<Store> {
  const folder = aFolder();
  if (hasShard) await addEmptyShard(folder.path, "na");
  const { values: settings } = loadSettings({
    flags: { data: folder.path, batch },
    env: {},
    cwd: folder.path,
  });
  return { settings, remove: folder.remove };
}

/** Ingests a file that arrives in pieces of this size. */
export const ingestFile = (
  { settings }: Pick<Store, "settings">,
  file: Buffer,
  piece = file.length,
): Promise<Taken> =>
  takeInFile(
    settings,
    plainBytes(pieces(file, piece), () => {}),
    NOW,
  );

async function* pieces(file: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += size) yield Buffer.from(file.subarray(at, at + size));
}

export interface Contents {
  /** Undefined if the shard does not exist. */
  digest: string | undefined;
  /** Every stored match, whether it is served or not. */
  exported: MatchDocument[];
  fates: ReadonlyMap<string, string>;
}

export async function contentsOf(
  { settings }: Pick<Store, "settings">,
  shard: string,
): Promise<Contents> {
  const shards = openShards(settings, unobserved);
  try {
    const writer = await shards.existingWriter(shard);
    if (!writer) return { digest: undefined, exported: [], fates: new Map() };
    const { digest } = await writer.survey((all) => digestOf(all));
    const exported = (await exportedFrom(writer, { shard })).filter(
      ({ data }) => data !== undefined,
    );
    const fates = new Map<string, string>();
    for (const { data } of exported) {
      const id = data.id as string;
      fates.set(id, (await writer.inspect(id))?.fate.state ?? "unknown");
    }
    return { digest, exported, fates };
  } finally {
    await shards.close();
  }
}
