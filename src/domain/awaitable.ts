/** A value that is there at once (from SQLite, from memory), or has to be waited for (from a server). */

export type Awaitable<T> = T | Promise<T>;
