/** Opens the store of API keys and usage for commands, and reports unknown key ids. */

import { looksLikeKey } from "../access/key.ts";
import type { KeyRecord, KeyStore } from "../access/key-store.ts";
import type { UsageStore } from "../access/usage-store.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { type AccessStore, openAccess } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { nearest } from "../text/nearest.ts";
import { CommandError } from "./command.ts";

/** The help of the argument that names a key. */
export const KEY_ID = "key id, see 'matchbook keys list'";

/** Creates the store if it does not exist. */
export function withKeys<T>(
  settings: Settings,
  work: (keys: KeyStore) => Awaitable<T>,
): Promise<T> {
  return using(openAccess(settings), ({ keys }) => work(keys));
}

/** All keys. Does not create a data folder, because --data may have a typo. */
export function readKeys(settings: Settings): Promise<KeyRecord[]> {
  return reading(settings, async ({ keys }) => ((await keys.exists()) ? keys.list() : []));
}

/** Throws CommandError if there is no key with this id. */
export function readKey(settings: Settings, id: string): Promise<KeyRecord> {
  return reading(settings, ({ keys }) => existingKey(settings, keys, id));
}

/** Throws CommandError if there is no key with this id. */
export function withKey<T>(
  settings: Settings,
  id: string,
  work: (keys: KeyStore, record: KeyRecord) => Awaitable<T>,
): Promise<T> {
  return withKeys(settings, async (keys) => work(keys, await existingKey(settings, keys, id)));
}

async function existingKey(settings: Settings, keys: KeyStore, id: string): Promise<KeyRecord> {
  if (!(await keys.exists())) throw unknownKey(settings, id, []);
  const record = await keys.find(id);
  if (!record) throw unknownKey(settings, id, await keys.list());
  return record;
}

/** What `read` finds in the usage store, or `nothing` if there is no store. */
export function readUsage<T>(
  settings: Settings,
  nothing: T,
  read: (usage: UsageStore) => Awaitable<T>,
): Promise<T> {
  return reading(settings, async ({ usage }) => ((await usage.exists()) ? read(usage) : nothing));
}

export function readLastSeen(settings: Settings): Promise<Map<string, number>> {
  return readUsage(settings, new Map<string, number>(), (usage) => usage.lastSeen());
}

export const noKeysYet = (settings: Settings): string =>
  `No keys in ${locationOfKeys(settings)} yet: create one with 'matchbook keys create'.`;

const locationOfKeys = (settings: Settings): string =>
  settings["keys-database"]?.shown ?? settings.data;

/** Changes nothing, e.g. in a backup. */
const reading = <T>(settings: Settings, work: (access: AccessStore) => Awaitable<T>): Promise<T> =>
  using(openAccess(settings, true), work);

async function using<T>(
  access: AccessStore,
  work: (access: AccessStore) => Awaitable<T>,
): Promise<T> {
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

function unknownKey(settings: Settings, id: string, records: readonly KeyRecord[]): CommandError {
  const hint = "run 'matchbook keys list' to see the ids";
  // A key given by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) return new CommandError(`that is a key, not a key id; ${hint}`);
  const named = records.find(({ name }) => name === id);
  const ids = records.map((record) => record.id);
  const guess = named?.id ?? nearest(id, ids);
  return new CommandError(
    `there is no key with the id ${JSON.stringify(id)} in ${locationOfKeys(settings)}; ${guess === undefined ? "" : `did you mean ${guess}? `}${hint}`,
  );
}
