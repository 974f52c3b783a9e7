/** In charge of what is said when something that a shard keeps is damaged: its name, and what to do. */

import { StoreError } from "../store/store.ts";

/** What `read` gives; if it fails, an error that names what could not be read. */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { message } = error as Error;
    throw new StoreError(
      `${what} is damaged where it is stored (${message}): restore the shard from a backup`,
    );
  }
}
