/**
 * The digest of a shard: one SHA-256 over all matches, players and teams that it serves. The same records give the same
 * digest on every engine. Withheld records are read too, so that damage is found, but are not part of the digest.
 * Indexes are neither: they decide which records a list or a filter finds, not what the records contain.
 *
 * The input is lines of UTF-8. For each match in order: its resource, then what only it includes. For each player
 * by id, then for each team by id: its resource, then what only it links to. Last, a line of counts. Arrays are
 * written without their brackets, so an empty one is an empty line; the JSON has no line breaks.
 */

import { readEncodedMatch } from "../document/encoded-match.ts";
import { readFragment, withoutComma } from "../document/fragment.ts";
import { inflateEach, plainBody } from "../document/join-pieces.ts";
import { whole } from "../store/byte-range.ts";
import type { ShardContents, StoredMatch } from "../store/store.ts";
import { NAMED_TABLES, type NamedColumns } from "../store/tables.ts";
import { recordBatches, tableRows } from "./scan.ts";

export interface Digest {
  /** In hexadecimal. */
  digest: string;
  matches: number;
  players: number;
  teams: number;
}

/** Progress so far. */
export type Counted = Omit<Digest, "digest">;

const STEP = 1000;

/** Throws StoreError when something is damaged. */
export async function digestOf(
  holdings: ShardContents,
  onProgress: (counted: Counted) => void = () => {},
): Promise<Digest> {
  const hash = new Bun.CryptoHasher("sha256");
  const add = (line: Uint8Array) => {
    hash.update(line);
    hash.update(LINE_END);
  };
  const counted: Counted = { matches: 0, players: 0, teams: 0 };
  for await (const step of recordBatches(holdings, STEP)) {
    const served = step.filter(({ fate }) => fate.state === "served");
    for (const { match } of served) addMatch(add, match);
    counted.matches += served.length;
    onProgress(counted);
  }
  for (const kind of ["players", "teams"] as const) {
    for await (const step of tableRows(holdings, NAMED_TABLES[kind])) {
      for (const row of step) addNamed(add, row);
      counted[kind] += step.length;
      onProgress(counted);
    }
  }
  const { matches, players, teams } = counted;
  add(Buffer.from(JSON.stringify({ matches, players, teams })));
  return { digest: hash.digest("hex"), ...counted };
}

type AddLine = (line: Uint8Array) => void;

function addMatch(add: AddLine, { encoded: stored }: StoredMatch): void {
  const { resource, included } = readEncodedMatch(whole(stored));
  for (const line of inflateEach([resource, included])) add(line);
}

function addNamed(add: AddLine, { resource, linked }: NamedColumns): void {
  add(plainBody([withoutComma(readFragment(resource))], ""));
  add(linked ? plainBody([readFragment(linked)], "") : NOTHING);
}

const NOTHING = new Uint8Array();
const LINE_END = Buffer.from("\n");
