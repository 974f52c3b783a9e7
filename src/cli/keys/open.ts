/** In charge of opening the keys and their usage for the verbs, and of ids that no key has. */

import { looksLikeKey } from "../../access/key.ts";
import type { KeyRecord, KeyStore } from "../../access/key-store.ts";
import type { UsageStore } from "../../access/usage-store.ts";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { Settings } from "../../settings/table.ts";
import { nearest } from "../../text/nearest.ts";
import { openAccess } from "../../wiring.ts";
import { Failure } from "../verb.ts";

/** For a verb that makes keys: what is missing is made. */
export function withKeys<T>(
  settings: Settings,
  work: (keys: KeyStore) => Awaitable<T>,
): Promise<T> {
  return withAccess(settings, ({ keys }) => work(keys));
}

/** All keys. Looking must not make a data folder out of a mistyped --data. */
export function readKeys(settings: Settings): Promise<KeyRecord[]> {
  return withKeys(settings, async (keys) => ((await keys.exists()) ? keys.list() : []));
}

/** For a verb that is about one key: fails in words if there is none with this id. */
export function withKey<T>(
  settings: Settings,
  id: string,
  work: (keys: KeyStore, record: KeyRecord) => Awaitable<T>,
): Promise<T> {
  return withKeys(settings, async (keys) => {
    if (!(await keys.exists())) throw unknownKey(settings, id, []);
    const record = await keys.find(id);
    if (!record) throw unknownKey(settings, id, await keys.list());
    return work(keys, record);
  });
}

/** What is stored about usage, or `nothing` while nothing is. Reading it never makes a server wait. */
export function readUsage<T>(
  settings: Settings,
  nothing: T,
  read: (usage: UsageStore) => Awaitable<T>,
): Promise<T> {
  return withAccess(settings, async ({ usage }) =>
    (await usage.exists()) ? read(usage) : nothing,
  );
}

export function readLastSeen(settings: Settings): Promise<Map<string, number>> {
  return readUsage(settings, new Map<string, number>(), (usage) => usage.lastSeen());
}

/** Where the keys are, in words. */
export const whereKeysAre = (settings: Settings): string =>
  settings["keys-database"]?.shown ?? settings.data;

async function withAccess<T>(
  settings: Settings,
  work: (access: ReturnType<typeof openAccess>) => Awaitable<T>,
): Promise<T> {
  const access = openAccess(settings);
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

const WHERE = "'matchbook keys list' shows the ids";

function unknownKey(settings: Settings, id: string, records: readonly KeyRecord[]): Failure {
  // A key that was typed by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) return new Failure(`that is a key and not its id; ${WHERE}`);
  const bearer = records.find(({ name }) => name === id);
  const guess = bearer?.id ?? nearest(id, ids(records));
  const hint = guess === undefined ? "" : `did you mean ${guess}? `;
  return new Failure(
    `there is no key with the id ${JSON.stringify(id)} in ${whereKeysAre(settings)}; ${hint}${WHERE}`,
  );
}

const ids = (records: readonly KeyRecord[]) => records.map(({ id }) => id);
