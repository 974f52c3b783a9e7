/** Opens the store of API keys and their usage for the commands, and reports ids that no key has. */

import type { Book } from "../access/book.ts";
import { looksLikeKey } from "../access/key.ts";
import type { KeyRecord, Keyring } from "../access/keyring.ts";
import type { AccessPlace } from "../access/place.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Settings } from "../settings/table.ts";
import { nearest } from "../text/nearest.ts";
import { openAccess } from "../wiring.ts";
import { CommandError } from "./command.ts";

/** The help of the argument that names a key. */
export const KEY_ID = "the key's id, as 'matchbook keys list' shows it";

/** Creates the store where it is missing. */
export function withKeyring<T>(
  settings: Settings,
  work: (keyring: Keyring) => Awaitable<T>,
): Promise<T> {
  return withStore(settings, (store) => withOpened(store.keyring(), work));
}

/** All keys. Reading never creates a data folder, which --data may have mistyped. */
export function readKeys(settings: Settings): Promise<KeyRecord[]> {
  return withStore(settings, async (store) =>
    (await store.hasKeys()) ? withOpened(store.keyring(), (keyring) => keyring.list()) : [],
  );
}

/** Fails if there is no key with this id. */
export function withKey<T>(
  settings: Settings,
  id: string,
  work: (keyring: Keyring, record: KeyRecord) => Awaitable<T>,
): Promise<T> {
  return withStore(settings, async (store) => {
    if (!(await store.hasKeys())) throw unknownKey(store, id, []);
    return withOpened(store.keyring(), async (keyring) => {
      const record = await keyring.find(id);
      if (!record) throw unknownKey(store, id, await keyring.list());
      return work(keyring, record);
    });
  });
}

/** What is stored about usage, or `nothing` if nothing is. */
export function readUsage<T>(
  settings: Settings,
  nothing: T,
  read: (book: Book) => Awaitable<T>,
): Promise<T> {
  return withStore(settings, async (store) =>
    (await store.hasUsage()) ? withOpened(store.book(), read) : nothing,
  );
}

export function readLastSeen(settings: Settings): Promise<Map<string, number>> {
  return readUsage(settings, new Map<string, number>(), (book) => book.lastSeen());
}

export const noKeysYet = (settings: Settings): string =>
  `No keys in ${settings["keys-database"]?.shown ?? settings.data} yet: 'matchbook keys create' makes one.`;

function withStore<T>(settings: Settings, work: (store: AccessPlace) => Promise<T>): Promise<T> {
  return withOpened(openAccess(settings), work);
}

async function withOpened<S extends { close(): unknown }, T>(
  opening: Awaitable<S>,
  work: (opened: S) => Awaitable<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

function unknownKey(store: AccessPlace, id: string, records: readonly KeyRecord[]): CommandError {
  const hint = "'matchbook keys list' shows the ids";
  // A key that was given by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) return new CommandError(`that is a key and not its id; ${hint}`);
  const named = records.find(({ name }) => name === id);
  const ids = records.map((record) => record.id);
  const guess = named?.id ?? nearest(id, ids);
  return new CommandError(
    `there is no key with the id ${JSON.stringify(id)} in ${store.shown}; ${guess === undefined ? "" : `did you mean ${guess}? `}${hint}`,
  );
}
