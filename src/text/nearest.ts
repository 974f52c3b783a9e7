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
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(
        previous[column - 1]! + (isSame ? 0 : 1),
        previous[column]! + 1,
        current[column - 1]! + 1,
      );
      const isSwap =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) cost = Math.min(cost, before[column - 2]! + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return Number.POSITIVE_INFINITY;
    before = previous;
    previous = current;
  }
  const distance = previous[b.length]!;
  return distance > most ? Number.POSITIVE_INFINITY : distance;
}
