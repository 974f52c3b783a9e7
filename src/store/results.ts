/** In charge of how results are stored: as small numbers, the same in every adapter. */

import type { Result } from "../domain/player.ts";

/** Results in their stored order; those below "named" are parts in the match. */
const RESULTS: readonly Result[] = ["lost", "won", "named"];

export const packResult = (result: Result): number => RESULTS.indexOf(result);
export const unpackResult = (stored: number): Result => RESULTS[stored]!;
