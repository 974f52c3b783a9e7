/** In charge of keys and usage in one PostgreSQL that several instances share. */

import type { PostgresPlace } from "../../postgres/session.ts";
import type { Book } from "../book.ts";
import type { Keyring } from "../keyring.ts";
import type { AccessPlace } from "../place.ts";
import type { KeySource } from "../secrets.ts";
import { PostgresBook } from "./book.ts";
import { PostgresKeyring } from "./keyring.ts";
import { PostgresKeys } from "./keys.ts";
import { prepare, versionOf } from "./open.ts";
import { AccessSession } from "./session.ts";

export class PostgresAccess implements AccessPlace {
  readonly shown: string;
  readonly #session: AccessSession;
  #prepared: Promise<void> | undefined;

  constructor(place: PostgresPlace) {
    this.shown = place.shown;
    this.#session = new AccessSession(place);
  }

  async hasKeys(): Promise<boolean> {
    return (await versionOf(this.#session, this.#session)) !== undefined;
  }

  hasUsage(): Promise<boolean> {
    return this.hasKeys();
  }

  async keyring(): Promise<Keyring> {
    await this.#ready();
    return new PostgresKeyring(this.#session);
  }

  async book(): Promise<Book> {
    await this.#ready();
    return new PostgresBook(this.#session);
  }

  keys(): KeySource {
    return new PostgresKeys(this.#session, () => this.#ready());
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** Once; what failed is tried again. */
  #ready(): Promise<void> {
    this.#prepared ??= prepare(this.#session).catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }
}
