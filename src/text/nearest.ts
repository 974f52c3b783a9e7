/** Suggests corrections for mistyped words. */

/** The closest candidate; undefined if none is close enough to be a likely typo. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: string | undefined;
  let most = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase(), most);
    if (distance > most) continue;
    best = candidate;
    most = distance - 1;
  }
  return best;
}

/** Damerau-Levenshtein distance (optimal string alignment). Infinity if it exceeds `most`. */
export function editDistance(a: ArrayLike<string>, b: ArrayLike<string>, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  // What both begin and end with does not matter, and is most of two similar words.
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [rows, columns] = [a.length - start, b.length - start];
  while (rows > 0 && columns > 0 && a[start + rows - 1] === b[start + columns - 1]) {
    rows -= 1;
    columns -= 1;
  }
  let before: number[] = [];
  let previous = Array.from({ length: columns + 1 }, (_, column) => column);
  for (let row = 1; row <= rows; row++) {
    const current = [row];
    let least = row;
    const [letter, letterBefore] = [a[start + row - 1], a[start + row - 2]];
    for (let column = 1; column <= columns; column++) {
      const [other, otherBefore] = [b[start + column - 1], b[start + column - 2]];
      let cost = Math.min(
        previous[column - 1]! + (letter === other ? 0 : 1),
        previous[column]! + 1,
        current[column - 1]! + 1,
      );
      const isSwap = row > 1 && column > 1 && letter === otherBefore && letterBefore === other;
      if (isSwap) cost = Math.min(cost, before[column - 2]! + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    before = previous;
    previous = current;
  }
  const distance = previous[columns]!;
  return distance > most ? Number.POSITIVE_INFINITY : distance;
}
