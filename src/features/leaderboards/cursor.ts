/** Encodes and decodes positions on a leaderboard: `1z4.player-1` is a score in base 36 and a player. */

import { isResourceId } from "../../domain/identifiers.ts";
import type { BoardPosition } from "./ranking.ts";

const SCORE = /^[0-9a-z]{1,11}$/;

export const encodeBoardCursor = ({ score, id }: BoardPosition): string =>
  `${score.toString(36)}.${id}`;

/** Undefined for any text that `encodeBoardCursor` does not produce. */
export function decodeBoardCursor(text: string): BoardPosition | undefined {
  const at = text.indexOf(".");
  const [written, id] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 || !SCORE.test(written) || !isResourceId(id)) return undefined;
  const position = { score: Number.parseInt(written, 36), id };
  const isValid = Number.isSafeInteger(position.score) && encodeBoardCursor(position) === text;
  return isValid ? position : undefined;
}
