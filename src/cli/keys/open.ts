/** In charge of opening the keys and their usage for the verbs, and of ids that no key has. */

import type { Book } from "../../access/book.ts";
import { looksLikeKey } from "../../access/key.ts";
import type { KeyRecord, Keyring } from "../../access/keyring.ts";
import type { AccessPlace } from "../../access/place.ts";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { Settings } from "../../settings/table.ts";
import { nearest } from "../../text/nearest.ts";
import { openAccess } from "../../wiring.ts";
import { Failure } from "../verb.ts";

/** For a verb that makes keys: what is missing is made. */
export function withKeyring<T>(
  settings: Settings,
  work: (keyring: Keyring) => Awaitable<T>,
): Promise<T> {
  return inPlace(settings, (place) => opened(place, work));
}

/** All keys. Looking must not make a data folder out of a mistyped --data. */
export function readKeys(settings: Settings): Promise<KeyRecord[]> {
  return inPlace(settings, async (place) =>
    (await place.hasKeys()) ? opened(place, (keyring) => keyring.list()) : [],
  );
}

/** For a verb that is about one key: fails in words if there is none with this id. */
export function withKey<T>(
  settings: Settings,
  id: string,
  work: (keyring: Keyring, record: KeyRecord) => Awaitable<T>,
): Promise<T> {
  return inPlace(settings, async (place) => {
    if (!(await place.hasKeys())) throw unknownKey(place, id, []);
    return opened(place, async (keyring) => {
      const record = await keyring.find(id);
      if (!record) throw unknownKey(place, id, await keyring.list());
      return work(keyring, record);
    });
  });
}

/** What is written down about usage, or `nothing` while nothing is. Reading it never makes a server wait. */
export function readUsage<T>(
  settings: Settings,
  nothing: T,
  read: (book: Book) => Awaitable<T>,
): Promise<T> {
  return inPlace(settings, async (place) => {
    if (!(await place.hasUsage())) return nothing;
    const book = await place.book();
    try {
      return await read(book);
    } finally {
      await book.close();
    }
  });
}

export function readLastSeen(settings: Settings): Promise<Map<string, number>> {
  return readUsage(settings, new Map<string, number>(), (book) => book.lastSeen());
}

/** Where the keys are, in words. */
export const whereKeysAre = (settings: Settings): string =>
  settings["keys-database"]?.shown ?? settings.data;

async function inPlace<T>(
  settings: Settings,
  work: (place: AccessPlace) => Promise<T>,
): Promise<T> {
  const place = openAccess(settings);
  try {
    return await work(place);
  } finally {
    await place.close();
  }
}

async function opened<T>(place: AccessPlace, work: (keyring: Keyring) => Awaitable<T>): Promise<T> {
  const keyring = await place.keyring();
  try {
    return await work(keyring);
  } finally {
    await keyring.close();
  }
}

const WHERE = "'matchbook keys list' shows the ids";

function unknownKey(place: AccessPlace, id: string, records: readonly KeyRecord[]): Failure {
  // A key that was typed by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) return new Failure(`that is a key and not its id; ${WHERE}`);
  const bearer = records.find(({ name }) => name === id);
  const guess = bearer?.id ?? nearest(id, ids(records));
  const hint = guess === undefined ? "" : `did you mean ${guess}? `;
  return new Failure(
    `there is no key with the id ${JSON.stringify(id)} in ${place.shown}; ${hint}${WHERE}`,
  );
}

const ids = (records: readonly KeyRecord[]) => records.map(({ id }) => id);
