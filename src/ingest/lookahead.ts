/** In charge of working ahead: several pieces of work are under way at once, and come out in order. */

/**
 * Starts work on each thing as soon as it comes, as long as those under way are not too heavy
 * together, and yields the results in the order of the things.
 */
export async function* ahead<T, R>(
  things: AsyncIterable<T>,
  work: (thing: T) => Promise<R>,
  weigh: (thing: T) => number,
  mostWeight: () => number,
): AsyncGenerator<R> {
  const underWay: { result: Promise<R>; weight: number }[] = [];
  let weight = 0;
  const next = () => {
    const first = underWay.shift()!;
    weight -= first.weight;
    return first.result;
  };
  for await (const thing of things) {
    // In this order: what is worked on may be handed over, and weigh nothing then.
    const one = { weight: weigh(thing), result: work(thing) };
    // Whoever waits for it hears of its failure; until then it is nobody's.
    one.result.catch(() => {});
    underWay.push(one);
    weight += one.weight;
    while (underWay.length > 0 && weight > mostWeight()) yield await next();
  }
  while (underWay.length > 0) yield await next();
}
