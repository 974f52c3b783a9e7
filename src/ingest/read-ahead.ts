/** Works on several items at once and yields the results in order. */

/**
 * Starts work on each item as soon as it arrives, while the total size in progress is within the limit, and
 * yields the results in the order of the items.
 */
export async function* readAhead<T, R>(
  things: AsyncIterable<T>,
  work: (thing: T) => Promise<R>,
  sizeOf: (thing: T) => number,
  maxSize: () => number,
): AsyncGenerator<R> {
  const inProgress: { result: Promise<R>; size: number }[] = [];
  let total = 0;
  const next = () => {
    const first = inProgress.shift()!;
    total -= first.size;
    return first.result;
  };
  for await (const thing of things) {
    const one = { size: sizeOf(thing), result: work(thing) };
    // Whoever awaits it sees its failure; until then it is unhandled.
    one.result.catch(() => {});
    inProgress.push(one);
    total += one.size;
    while (inProgress.length > 0 && total > maxSize()) yield await next();
  }
  while (inProgress.length > 0) yield await next();
}
