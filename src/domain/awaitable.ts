/** In charge of what may be there at once, or may have to be waited for. */

export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with what was asked for: at once if it is there already, since to wait for that would cost
 * as much as many a look-up; else when it comes.
 */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
