/** In charge of hostile records: demo documents damaged in every way, one a line. */

import { demoDocuments } from "../../src/demo/demo.ts";
import type { JsonObject } from "../../src/domain/json.ts";
import { Chance } from "./chance.ts";
import { damage } from "./mutations.ts";
import { TANGLES, type Tangle } from "./tangles.ts";
import { DEFACEMENTS } from "./texts.ts";

/** No record is later; the clock of the tests stands a day after. */
export const UNTIL = Date.parse("2026-03-01T00:00:00Z");

export interface HostileRecord {
  /** What was done to it, for messages. */
  kind: string;
  /** Without a line feed. */
  line: Buffer;
}

/** The first one is always sound, so that a file of them is seen to be NDJSON. */
export function* hostileRecords(seed: number, count: number): Generator<HostileRecord> {
  const sound = [
    ...demoDocuments({ matches: Math.ceil(count / 2), seed, until: UNTIL, shards: ["na", "eu"] }),
  ];
  yield { kind: "sound", line: Buffer.from(JSON.stringify(sound[0])) };
  for (let number = 1; number < count; number++) {
    const chance = new Chance(seed, number);
    // Fewer documents than records: some come again, damaged differently, and are in conflict.
    const document = structuredClone(chance.pick(sound));
    yield hostile(document, number, chance);
  }
}

function hostile(document: JsonObject, number: number, chance: Chance): HostileRecord {
  // Most are matches of their own, so that damage is not mistaken for a conflict.
  if (!chance.oneIn(10)) (document.data as JsonObject).id = `m-${number}`;
  switch (chance.below(10)) {
    case 0:
      return { kind: "sound", line: asLine(JSON.stringify(document)) };
    case 1:
    case 2:
    case 3:
    case 4:
      damage(document, chance);
      return { kind: "damaged", line: asLine(JSON.stringify(document)) };
    case 5:
    case 6: {
      const { name, make } = chance.weigh(TANGLES);
      make(document as unknown as Parameters<Tangle>[0], chance);
      return { kind: name, line: asLine(JSON.stringify(document)) };
    }
    default: {
      const { name, make } = chance.weigh(DEFACEMENTS);
      return { kind: name, line: asLine(make(JSON.stringify(document), chance)) };
    }
  }
}

function asLine(content: string | Buffer): Buffer {
  const line = Buffer.from(content);
  for (let at = line.indexOf(10); at >= 0; at = line.indexOf(10, at)) line[at] = 0x20;
  return line;
}
