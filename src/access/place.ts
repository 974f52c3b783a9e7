/** In charge of where keys and usage are kept, as those see it who open them; and of a data folder as that place. */

import type { Awaitable } from "../domain/awaitable.ts";
import { type Book, bookExists, UsageBook } from "./book.ts";
import { FileKeys } from "./file-keys.ts";
import { type Keyring, keyringExists, openKeyring } from "./keyring.ts";
import type { KeySource } from "./secrets.ts";

/** Whatever is opened is to be closed again, and the place after it. */
export interface AccessPlace {
  /** As operators may read it. */
  shown: string;
  /** Whether keys were ever made here. To look makes nothing. */
  hasKeys(): Awaitable<boolean>;
  /** Whether usage was ever written down here. To look makes nothing. */
  hasUsage(): Awaitable<boolean>;
  /** Makes what is missing. */
  keyring(): Awaitable<Keyring>;
  /** Makes what is missing. */
  book(): Awaitable<Book>;
  keys(): KeySource;
  close(): Awaitable<void>;
}

/** Two files: the keys, and usage with budgets. */
export function filesIn(dataDir: string): AccessPlace {
  return {
    shown: dataDir,
    hasKeys: () => keyringExists(dataDir),
    hasUsage: () => bookExists(dataDir),
    keyring: () => openKeyring(dataDir),
    book: () => UsageBook.open(dataDir),
    keys: () => new FileKeys(dataDir),
    close() {},
  };
}
