/**
 * The redactions of all shards in one file of the data folder, beside the lists in the shards themselves: a shard that
 * is restored from an older backup lacks its latest ones. It has ids and times, never names.
 */

import { closeSync, fsyncSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../domain/json.ts";
import { formatTimestamp, parseTimestamp } from "../domain/time.ts";
import { makeFolder, syncFolder, writeAll } from "../durable-files.ts";
import { type Redaction, StoreError } from "../store/store.ts";

const LIST_FILE = "redactions.ndjson";

/** As a line of the file, and in the manifest of a backup. */
export interface ListedRedaction {
  shard: string;
  player: string;
  redactedAt: string;
}

export const listPath = (data: string): string => join(data, LIST_FILE);

/** Throws StoreError if the file is damaged or cannot be read. */
export function readList(data: string): ListedRedaction[] {
  const path = listPath(data);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new StoreError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  const lines = text.split("\n");
  return lines.flatMap((line, index) =>
    isComplete(line) ? [parseLine(line, index + 1, path)] : [],
  );
}

/** Whether a line was written to its end. A power failure can leave another one: the redaction was not reported yet. */
const isComplete = (line: string): boolean => line.endsWith("}") && !line.includes("\0");

function parseLine(line: string, number: number, path: string): ListedRedaction {
  try {
    const value: unknown = JSON.parse(line);
    if (isListed(value)) return value;
  } catch {
    // Reported below.
  }
  throw new StoreError(
    `${path} is damaged: line ${number} is not a redaction; remove this line, and run 'matchbook redact' again for that player`,
  );
}

export const isListed = (value: unknown): value is ListedRedaction =>
  isObject(value) &&
  typeof value.shard === "string" &&
  typeof value.player === "string" &&
  typeof value.redactedAt === "string" &&
  parseTimestamp(value.redactedAt) !== undefined;

/** Appends those that are not listed yet. Several processes may do so. */
export function addToList(data: string, redactions: readonly ListedRedaction[]): void {
  const listed = new Set(readList(data).map(keyOf));
  const lines = redactions
    .filter((one) => !listed.has(keyOf(one)))
    // First, in case a line before it was not completed.
    .map(({ shard, player, redactedAt }) => `\n${JSON.stringify({ shard, player, redactedAt })}`);
  if (lines.length === 0) return;
  makeFolder(data);
  const file = openSync(listPath(data), "a", 0o600);
  try {
    writeAll(file, `${lines.join("")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(data);
}

const keyOf = ({ shard, player }: ListedRedaction): string => `${shard} ${player}`;

/** The redactions of a shard, as lines of the file. */
export const asListed = (shard: string, redactions: readonly Redaction[]): ListedRedaction[] =>
  redactions.map(({ playerId, redactedAt }) => ({
    shard,
    player: playerId,
    redactedAt: formatTimestamp(redactedAt),
  }));

/** The redactions of one shard. */
export const redactionsOf = (list: readonly ListedRedaction[], shard: string): Redaction[] =>
  list
    .filter((one) => one.shard === shard)
    .map(({ player, redactedAt }) => ({
      playerId: player,
      redactedAt: parseTimestamp(redactedAt)!,
    }));

/** Those of a list that a shard lacks. */
export function lacking(listed: readonly Redaction[], applied: readonly Redaction[]): Redaction[] {
  const ids = new Set(applied.map(({ playerId }) => playerId));
  return listed.filter(({ playerId }) => !ids.has(playerId));
}

/** Throws StoreError unless every listed redaction is applied to the shard. */
export function checkApplied(data: string, shard: string, applied: () => Redaction[]): void {
  const listed = redactionsOf(readList(data), shard);
  if (listed.length === 0) return;
  const missing = lacking(listed, applied());
  if (missing.length === 0) return;
  throw new StoreError(
    `shard ${shard} still has players who were redacted (${missing.length} of ${listPath(data)}), e.g. because an older backup was put back: run 'matchbook redact ${shard}'`,
  );
}
