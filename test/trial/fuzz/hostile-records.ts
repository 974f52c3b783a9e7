/** Generates hostile records: damaged demo documents, one per line. */

import { demoDocuments } from "../../../src/demo/demo.ts";
import type { JsonObject } from "../../../src/domain/json.ts";
import { Chance } from "../../support/chance.ts";
import { damage } from "./mutations.ts";
import { TANGLES, type Tangle } from "./tangles.ts";
import { DEFACEMENTS } from "./texts.ts";

/** The latest time of any record; the clock of the tests is a day later. */
export const UNTIL = Date.parse("2026-03-01T00:00:00Z");

export interface HostileRecord {
  /** How the record was damaged, for messages. */
  kind: string;
  /** Without a line feed. */
  line: Buffer;
}

/** Fewer documents than records: each comes this often, damaged differently. */
const TIMES = 5;

/** The first record is always valid, so that ingest detects NDJSON. */
export function* hostileRecords(seed: number, count: number): Generator<HostileRecord> {
  const options = { matches: count / TIMES, seed, until: UNTIL, shards: ["na", "eu"] };
  const sound = Array.from(demoDocuments(options), (document) => JSON.stringify(document));
  yield { kind: "sound", line: Buffer.from(sound[0]!) };
  for (let number = 1; number < count; number++) {
    const chance = new Chance(seed, number);
    const json = chance.pick(sound);
    // Most have their own match id, so that damage is not mistaken for a conflict.
    yield hostile(chance.oneIn(10) ? json : json.replace(MATCH_ID, `$1m-${number}"`), chance);
  }
}

const MATCH_ID = /^(\{"data":\{"type":"match","id":")[^"]*"/;

/** Damages the JSON text of a document. */
export function hostile(json: string, chance: Chance): HostileRecord {
  const choice = chance.below(10);
  if (choice === 0) return { kind: "sound", line: asLine(json) };
  if (choice < 5) {
    const document = JSON.parse(json) as JsonObject;
    damage(document, chance);
    return { kind: "damaged", line: asLine(JSON.stringify(document)) };
  }
  if (choice < 7) {
    const { name, make } = chance.weigh(TANGLES);
    const document = JSON.parse(json) as Parameters<Tangle>[0];
    make(document, chance);
    return { kind: name, line: asLine(JSON.stringify(document)) };
  }
  const { name, make } = chance.weigh(DEFACEMENTS);
  return { kind: name, line: asLine(make(json, chance)) };
}

function asLine(content: string | Buffer): Buffer {
  const line = Buffer.from(content);
  for (let at = line.indexOf(10); at >= 0; at = line.indexOf(10, at)) line[at] = 0x20;
  return line;
}
