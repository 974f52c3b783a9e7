/** A value that is available at once (SQLite, memory) or as a promise (a database server). */

export type Awaitable<T> = T | Promise<T>;
