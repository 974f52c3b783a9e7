/** In charge of opening the keys and their usage for the verbs, and of ids that no key has. */

import { bookExists, UsageBook } from "../../access/book.ts";
import { looksLikeKey } from "../../access/key.ts";
import { type KeyRecord, type Keyring, keyringExists, openKeyring } from "../../access/keyring.ts";
import { nearest } from "../../text/nearest.ts";
import { Failure } from "../verb.ts";

/** For a verb that makes keys: folder and file are created where they are missing. */
export function withKeyring<T>(dataDir: string, work: (keyring: Keyring) => T): T {
  const keyring = openKeyring(dataDir);
  try {
    return work(keyring);
  } finally {
    keyring.close();
  }
}

/** All keys. Looking must not make a data folder out of a mistyped --data. */
export function readKeys(dataDir: string): KeyRecord[] {
  return keyringExists(dataDir) ? withKeyring(dataDir, (keyring) => keyring.list()) : [];
}

/** For a verb that is about one key: fails in words if there is none with this id. */
export function withKey<T>(
  dataDir: string,
  id: string,
  work: (keyring: Keyring, record: KeyRecord) => T,
): T {
  if (!keyringExists(dataDir)) throw unknownKey(dataDir, id, []);
  return withKeyring(dataDir, (keyring) => {
    const record = keyring.find(id);
    if (!record) throw unknownKey(dataDir, id, keyring.list());
    return work(keyring, record);
  });
}

/** What the usage file says, or `nothing` while there is none. Reading it never makes a server wait. */
export function readUsage<T>(dataDir: string, nothing: T, read: (book: UsageBook) => T): T {
  if (!bookExists(dataDir)) return nothing;
  const book = UsageBook.open(dataDir);
  try {
    return read(book);
  } finally {
    book.close();
  }
}

export function readLastSeen(dataDir: string): Map<string, number> {
  return readUsage(dataDir, new Map<string, number>(), (book) => book.lastSeen());
}

const WHERE = "'matchbook keys list' shows the ids";

function unknownKey(dataDir: string, id: string, records: readonly KeyRecord[]): Failure {
  // A key that was typed by mistake is not repeated: errors end up in logs.
  if (looksLikeKey(id)) return new Failure(`that is a key and not its id; ${WHERE}`);
  const bearer = records.find(({ name }) => name === id);
  const guess = bearer?.id ?? nearest(id, ids(records));
  const hint = guess === undefined ? "" : `did you mean ${guess}? `;
  return new Failure(
    `there is no key with the id ${JSON.stringify(id)} in ${dataDir}; ${hint}${WHERE}`,
  );
}

const ids = (records: readonly KeyRecord[]) => records.map(({ id }) => id);
