/** Encodes and decodes page cursors. */

import { crc32 } from "node:zlib";
import { isResourceId } from "../domain/identifiers.ts";
import { MAX_URL_LENGTH } from "./parameters.ts";
import type { Cursor } from "./query.ts";

/*
 * version (1 byte) | checksum (4) | side (1) | createdAt (8) | id (ASCII), all in base64url. After
 * the id follow, each after a space: the sequence number, if any; then the hash, players and teams
 * of the resolved names, if any. The checksum detects damaged cursors. It is not a signature: a
 * cursor holds no secret and grants no access.
 */
const VERSION = 1;
const CHECKSUM_AT = 1;
const SIDE_AT = 5;
const CREATED_AT = 6;
const ID_AT = 14;

const TWO_32 = 2 ** 32;

const BEFORE = 0;
const AFTER = 1;

/** Expects a valid resource id and a safe integer. */
export function encodeCursor({ createdAt, id, side, sequence, resolvedNames }: Cursor): string {
  let text = id;
  if (sequence !== undefined) text += ` ${sequence}`;
  if (resolvedNames) {
    const { names, players, teams } = resolvedNames;
    text += ` ${names.toString(36)} ${players.join(",")} ${teams.join(",")}`;
  }
  const bytes = Buffer.allocUnsafe(ID_AT + text.length);
  bytes[0] = VERSION;
  bytes[SIDE_AT] = side === "before" ? BEFORE : AFTER;
  // BigInt would take several times as long.
  bytes.writeInt32BE(Math.floor(createdAt / TWO_32), CREATED_AT);
  bytes.writeUInt32BE(createdAt >>> 0, CREATED_AT + 4);
  bytes.write(text, ID_AT, "latin1");
  bytes.writeUInt32BE(crc32(bytes.subarray(SIDE_AT)), CHECKSUM_AT);
  return bytes.toString("base64url");
}

/** Undefined for any text that `encodeCursor` does not produce. */
export function decodeCursor(text: string): Cursor | undefined {
  if (text.length > MAX_URL_LENGTH) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length <= ID_AT) return undefined;
  const createdAt = Number(bytes.readBigInt64BE(CREATED_AT));
  const [id = "", ...rest] = bytes.toString("latin1", ID_AT).split(" ");
  const cursor: Cursor = { createdAt, id, side: bytes[SIDE_AT] === BEFORE ? "before" : "after" };
  // The resolved names are three words.
  if (rest.length % 3 === 1) cursor.sequence = Number(rest.shift());
  if (rest.length > 0) {
    const [hash = "", ...lists] = rest;
    const [players = [], teams = []] = lists.map((list) => (list === "" ? [] : list.split(",")));
    cursor.resolvedNames = { names: Number.parseInt(hash, 36), players, teams };
  }
  // Also detects a wrong version, checksum or number, and what the decoder ignores: invalid characters and spare bits.
  return isPossible(cursor) && encodeCursor(cursor) === text ? cursor : undefined;
}

function isPossible({ createdAt, id, sequence = 0, resolvedNames }: Cursor): boolean {
  const { players = [], teams = [] } = resolvedNames ?? {};
  return (
    Number.isSafeInteger(createdAt) &&
    Number.isSafeInteger(sequence) &&
    sequence >= 0 &&
    [id, ...players, ...teams].every(isResourceId)
  );
}
