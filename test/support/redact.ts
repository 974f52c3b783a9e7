/** Redacts players within this process, as `matchbook redact` does, and searches stores for what must be gone. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fragmentText } from "../../src/document/join-pieces.ts";
import { recordDocument } from "../../src/document/record.ts";
import { recordBatches, tableRows } from "../../src/export/scan.ts";
import { withRedactionList } from "../../src/open-access.ts";
import { type Redacted, redactPlayers } from "../../src/redact/redact.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import type { Writer } from "../../src/store/store.ts";
import { NAMED_TABLES, PLAYER_BASE } from "../../src/store/tables.ts";
import { withWriter } from "./prune.ts";

export async function redactIn(
  settings: Settings,
  shard: string,
  ...ids: string[]
): Promise<Redacted> {
  const redactions = ids.map((playerId) => ({ playerId, redactedAt: 0 }));
  return withWriter(settings, shard, async (writer) => {
    const redacted = await redactPlayers(writer, redactions);
    await withRedactionList(settings, (list) => list.add(shard, redactions));
    await writer.emptyLog();
    return redacted;
  });
}

const LIST = "redactions.sqlite";

/** Removes the list of redactions, as on a machine that never had one. */
export function removeList(data: string): void {
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(join(data, `${LIST}${suffix}`), { force: true, recursive: true });
}

/** Changes bytes in the list of redactions, as a bad disk would. */
export function damageList(data: string, from: string, to: string): void {
  const path = join(data, LIST);
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf(from);
  if (at === -1 || from.length !== to.length) throw new Error(`${from} is not in ${path}`);
  bytes.write(to, at);
  writeFileSync(path, bytes);
}

/** Everything stored in a shard, inflated: records, served or withheld, players, teams, and what pruned ones left. */
export function storedText(writer: Writer): Promise<string> {
  return writer.survey(async (contents) => {
    const texts: string[] = [];
    for await (const batch of recordBatches(contents, 100)) {
      texts.push(...batch.map(({ match }) => recordDocument(match)));
    }
    for (const kind of ["players", "teams"] as const) {
      for await (const rows of tableRows(contents, NAMED_TABLES[kind])) {
        for (const { resource, linked } of rows) {
          texts.push(fragmentText(resource), linked ? fragmentText(linked) : "");
        }
      }
    }
    for await (const rows of tableRows(contents, PLAYER_BASE)) {
      for (const { snapshot } of rows) if (snapshot) texts.push(fragmentText(snapshot));
    }
    return texts.join("\n");
  });
}

/** The names of the files in a folder, and below, that contain one of the words; gzip files are inflated. */
export function filesWith(folder: string, words: readonly string[]): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      const plain = path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      return words.some((word) => plain.includes(word));
    });
}
