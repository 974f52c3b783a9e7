/** Opens the store of API keys and usage for commands, and reports unknown key ids. */

import { looksLikeKey } from "../access/key.ts";
import type { KeyRecord, KeyStore } from "../access/key-store.ts";
import { closing } from "../domain/awaitable.ts";
import { type AccessStore, openAccess } from "../open-access.ts";
import type { Settings } from "../settings/definitions.ts";
import { nearest } from "../text/nearest.ts";
import { CommandError } from "./command.ts";

/** The argument that names a key. */
export const KEY = { "<id>": "key id, see 'matchbook keys list'" };

/** With "read", nothing is changed, e.g. in a backup, and no data folder created, because --data may have a typo. */
export async function withAccess<T>(
  settings: Settings,
  mode: "read" | "write",
  work: (access: AccessStore) => Promise<T>,
): Promise<T> {
  await using access = closing(openAccess(settings, mode === "read"));
  return await work(access);
}

/** Throws CommandError if there is no key with this id. */
export async function existingKey(
  settings: Settings,
  keys: KeyStore,
  id: string,
): Promise<KeyRecord> {
  const records = (await keys.exists()) ? await keys.list() : [];
  const record = records.find((one) => one.id === id);
  if (record) return record;
  const hint = "run 'matchbook keys list' to see the ids";
  // A key given by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) throw new CommandError(`that is a key, not a key id; ${hint}`);
  const named = records.find(({ name }) => name === id);
  const ids = records.map((one) => one.id);
  const guess = named?.id ?? nearest(id, ids);
  throw new CommandError(
    `there is no key with the id ${JSON.stringify(id)} in ${locationOfKeys(settings)}; ${guess === undefined ? "" : `did you mean ${guess}? `}${hint}`,
  );
}

export const noKeysYet = (settings: Settings): string =>
  `No keys in ${locationOfKeys(settings)} yet: create one with 'matchbook keys create'.`;

const locationOfKeys = (settings: Settings): string =>
  settings["keys-database"]?.shown ?? settings.data;
