/** Hostile records: documents that are damaged, tangled or defaced. */

import type { JsonObject } from "../../../src/domain/json.ts";
import type { Chance } from "../../support/chance.ts";
import { damage } from "./mutations.ts";
import { TANGLES, type Tangle } from "./tangles.ts";
import { DEFACEMENTS } from "./texts.ts";

export interface HostileRecord {
  /** How the record was damaged, for messages. */
  kind: string;
  /** Without a line feed. */
  line: Buffer;
}

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
