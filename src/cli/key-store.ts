/** Opens the store of API keys and their usage for the commands, and reports ids that no key has. */

import { looksLikeKey } from "../access/key.ts";
import type { KeyRecord, KeyStore } from "../access/key-store.ts";
import type { UsageStore } from "../access/usage-store.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { openAccess } from "../open-stores.ts";
import type { Settings } from "../settings/definitions.ts";
import { nearest } from "../text/nearest.ts";
import { CommandError } from "./command.ts";

/** The help of the argument that names a key. */
export const KEY_ID = "the key's id, as 'matchbook keys list' shows it";

/** Creates the store where it is missing. */
export function withKeys<T>(
  settings: Settings,
  work: (keys: KeyStore) => Awaitable<T>,
): Promise<T> {
  return withAccess(settings, ({ keys }) => work(keys));
}

/** All keys. Reading never creates a data folder, which --data may have mistyped. */
export function readKeys(settings: Settings): Promise<KeyRecord[]> {
  return withKeys(settings, async (keys) => ((await keys.exists()) ? keys.list() : []));
}

/** Fails if there is no key with this id. */
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

/** What is stored about usage, or `nothing` if nothing is. */
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

export const noKeysYet = (settings: Settings): string =>
  `No keys in ${locationOfKeys(settings)} yet: 'matchbook keys create' makes one.`;

const locationOfKeys = (settings: Settings): string =>
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

function unknownKey(settings: Settings, id: string, records: readonly KeyRecord[]): CommandError {
  const hint = "'matchbook keys list' shows the ids";
  // A key that was given by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) return new CommandError(`that is a key and not its id; ${hint}`);
  const named = records.find(({ name }) => name === id);
  const ids = records.map((record) => record.id);
  const guess = named?.id ?? nearest(id, ids);
  return new CommandError(
    `there is no key with the id ${JSON.stringify(id)} in ${locationOfKeys(settings)}; ${guess === undefined ? "" : `did you mean ${guess}? `}${hint}`,
  );
}
