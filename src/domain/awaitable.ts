/** A value that is available at once (SQLite, memory) or as a promise (a database server). */

export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value: at once if it is available. Waiting for nothing would cost more than many a stage of a request, and
 * the runtime has to keep what belongs to a response that is not there yet.
 */
export const after = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** For `await using`: it is closed at the end of the block. */
export const closing = <T extends { close(): Awaitable<void> }>(one: T): T & AsyncDisposable =>
  Object.assign(one, { [Symbol.asyncDispose]: async () => one.close() });
