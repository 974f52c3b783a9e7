/** A grammar of files with match documents: valid ones first, then changed, tangled and damaged, in every framing. */

import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts";
import { recordOf } from "../../properties/histories.ts";
import type { Chance } from "../../support/chance.ts";
import type { MatchDocument } from "../../support/records.ts";
import { damage, damageOnce } from "./mutations.ts";
import { crossReference, dangling, TANGLES, type Tangle } from "./tangles.ts";
import { DEFACEMENTS } from "./texts.ts";
import { strangeText } from "./values.ts";
import { WRAPPINGS, type Wrapping } from "./wrapping.ts";

/** A file: its plain content, one character per byte, and how it is compressed. */
export interface RecordCase {
  text: string;
  wrapping: Wrapping;
}

export function recordFile(chance: Chance): RecordCase {
  const documents: string[] = [];
  do documents.push(someDocument(chance, documents.length));
  while (documents.length < 6 && chance.below(3) > 0);
  const wrapping = chance.below(4) < 3 ? "plain" : chance.pick(WRAPPINGS);
  return { text: framed(documents, chance), wrapping };
}

/** Text as UTF-8, one character per byte. */
const asBytes = (text: string) => Buffer.from(text).toString("latin1");

function someDocument(chance: Chance, number: number): string {
  const match = someMatch(chance, `m${number}`);
  if (chance.below(8) === 7) {
    const page = paged([match, someMatch(chance, `m${number}b`)]);
    return asBytes(JSON.stringify(page));
  }
  for (let times = chance.below(3); times > 0; times--) chance.pick(CHANGES)(match, chance);
  const json = JSON.stringify(match);
  if (chance.below(4) < 3) return asBytes(json);
  return hostile(json, chance).toString("latin1").replaceAll("\n", " ");
}

/** The same document damaged, tangled or defaced. */
function hostile(json: string, chance: Chance): Buffer {
  const choice = chance.below(10);
  if (choice >= 7) return Buffer.from(chance.weigh(DEFACEMENTS).make(json, chance));
  const document = JSON.parse(json) as Parameters<Tangle>[0];
  if (choice >= 5) chance.weigh(TANGLES).make(document, chance);
  else if (choice > 0) damage(document, chance);
  return Buffer.from(JSON.stringify(document));
}

/** One of those of the property tests, of which many are withheld. */
function someMatch(chance: Chance, id: string): MatchDocument {
  const [document] = fc.sample(recordOf(id), { numRuns: 1, seed: chance.word() | 0 });
  const { attributes } = document!.data as { attributes: JsonObject };
  if (chance.below(4) < 3) attributes.gameMode = chance.pick(["ranked", "casual"]);
  return document!;
}

/** Changes that leave most documents valid. */
type Change = (document: MatchDocument, chance: Chance) => void;

const someResource = ({ data, included }: MatchDocument, chance: Chance) =>
  chance.pick([data, ...included]);

const CHANGES: readonly Change[] = [
  (document, chance) => damageOnce(someResource(document, chance), chance),
  (document, chance) => damageOnce(someResource(document, chance), chance),
  (document, chance) => damageOnce(someResource(document, chance), chance),
  (document, chance) => crossReference(document as Parameters<Tangle>[0], chance),
  (document, chance) => dangling(document as Parameters<Tangle>[0], chance),
  ({ data: { attributes } }, chance) => {
    if (isObject(attributes))
      attributes.shardId = chance.pick<Json>(["na", "", null, "eu", "NA", 7]);
  },
  (document, chance) => {
    const one = someResource(document, chance);
    one[chance.pick(["meta", "links", "lid", "extra"])] = chance.pick<Json>([
      { a: 1 },
      { self: "http://x/y" },
      { self: "not a uri" },
      null,
      1,
    ]);
  },
  (document, chance) => {
    someResource(document, chance).id = chance.pick<Json>(["x", "", strangeText(chance), 7, null]);
  },
  (document) => {
    document.included.reverse();
  },
];

/** Several matches in one document. Resources of the same key come from the first. */
function paged(matches: readonly MatchDocument[]): JsonObject {
  const included = new Map<string, JsonObject>();
  for (const one of matches.flatMap((match) => match.included)) {
    const key = `${one.type}/${one.id}`;
    if (!included.has(key)) included.set(key, one);
  }
  return { data: matches.map(({ data }) => data), included: [...included.values()] };
}

function framed(documents: readonly string[], chance: Chance): string {
  const lines = (end: string) => documents.map((one) => one + end).join("");
  switch (chance.below(14)) {
    case 5:
      return documents.join("\n");
    case 6:
      return lines("\r\n");
    case 7:
      return asBytes("\ufeff") + lines("\n");
    case 8:
      return lines(
        asBytes(chance.pick(["\n\n", " \t\n", "\n \n", "\n\u0000\n", "\n\ufeff\n", "\nnull\n"])),
      );
    case 9:
      return `[${documents.join(",")}]`;
    case 10:
      return `[\n${documents.join(chance.pick([",\n", "\n,", ",\r\n", "\n"]))}\n]\n`;
    case 11:
      return documents.map(pretty).join(chance.pick(["\n", "", "\n\n"]));
    case 12:
      return lines(asBytes(chance.pick(["", " ", ",", "\u2028"])));
    case 13:
      return `[${documents.map(pretty).join(", ")}${chance.pick(["]", "", ",]", "]]", "] x"])}`;
    default:
      return lines("\n");
  }
}

function pretty(bytes: string): string {
  try {
    return asBytes(JSON.stringify(JSON.parse(Buffer.from(bytes, "latin1").toString()), null, 2));
  } catch {
    return bytes;
  }
}
