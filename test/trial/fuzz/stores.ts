/** Stores for one case: a data folder with the shard na, what was ingested into it, its digest and its export. */

import { digestOf } from "../../../src/export/digest.ts";
import { plainBytes } from "../../../src/ingest/source.ts";
import type { Settings } from "../../../src/settings/definitions.ts";
import { loadSettings } from "../../../src/settings/load.ts";
import { addEmptyShard } from "../../support/empty-shard.ts";
import { exportedFrom } from "../../support/exported.ts";
import { withShards } from "../../support/prune.ts";
import type { MatchDocument } from "../../support/records.ts";
import { aFolder, type Ingested, ingestBytes } from "../../support/world.ts";

/** The clock of every ingest. */
export const NOW = Date.parse("2026-01-01T00:00:00Z");

export interface Store {
  settings: Settings;
  remove(): void;
}

/** With the empty shard na. */
export async function aStore(): Promise<Store> {
  const folder = aFolder();
  await addEmptyShard(folder.path, "na");
  const flags = { data: folder.path };
  const { values: settings } = loadSettings({ flags, env: {}, cwd: folder.path });
  return { settings, remove: folder.remove };
}

export function ingestFile({ settings }: Pick<Store, "settings">, file: Buffer): Promise<Ingested> {
  const bytes = plainBytes(pieces(file, file.length), () => {});
  return withShards(settings, (shards) =>
    ingestBytes(shards, settings, bytes, { clock: () => NOW }),
  );
}

export async function* pieces(file: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += size) yield Buffer.from(file.subarray(at, at + size));
}

export interface Contents {
  /** Undefined if the shard does not exist. */
  digest: string | undefined;
  /** Every stored match, whether it is served or not. */
  exported: MatchDocument[];
  fates: ReadonlyMap<string, string>;
}

export const contentsOf = (
  { settings }: Pick<Store, "settings">,
  shard: string,
): Promise<Contents> =>
  withShards(settings, async (shards) => {
    const writer = await shards.existingWriter(shard);
    if (!writer) return { digest: undefined, exported: [], fates: new Map() };
    const { digest } = await writer.survey((all) => digestOf(all));
    const all = await exportedFrom(writer, shard);
    const exported = all.filter(({ data }) => data !== undefined);
    const fates = new Map<string, string>();
    for (const { data } of exported) {
      const id = data.id as string;
      const [found] = await writer.survey(async (state) => state.load([id]));
      fates.set(id, found?.fate.state ?? "unknown");
    }
    return { digest, exported, fates };
  });
