/** A grammar of files with match documents: valid ones first, then changed, tangled and damaged, in every framing. */

import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts";
import { GAME_MODES } from "../../../src/domain/modes.ts";
import type { Chance } from "../../support/chance.ts";
import { aMatch, type MatchDocument, type MemberIn, type RosterIn } from "../../support/records.ts";
import { damage, damageOnce } from "./mutations.ts";
import { crossReference, dangling, TANGLES, type Tangle } from "./tangles.ts";
import { DEFACEMENTS } from "./texts.ts";
import { strangeText, strangeValue } from "./values.ts";
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

const MODES = [...GAME_MODES, "practice", "Ranked", ""];
const TIMES = [
  "2024-03-10T12:00:00Z",
  "2024-03-10T12:00:00.000Z",
  "2024-03-10T14:00:00+02:00",
  "2024-03-10T12:00:00.0019999Z",
  "0000-01-01T00:00:00Z",
  "2024-07-01T00:00:00.5Z",
  "2024-02-29T23:59:59.999-23:59",
];
const PEOPLE = ["p1", "p2", "P1", "-", "_"];
const TEAMS = ["t1", "T1"];
const NAMES = [
  "Ana",
  "ana",
  "Ana ",
  "名 前",
  "a,b",
  "\\",
  "x".repeat(256),
  "😀".repeat(256),
  "\u202e",
];

function someMatch(chance: Chance, id: string): MatchDocument {
  const people = [...PEOPLE];
  const roster = (): RosterIn => {
    const members = Array.from({ length: chance.below(3) }, (): MemberIn => {
      const at = chance.below(people.length + 1);
      const [player] = people.splice(at, 1);
      if (player === undefined) return { bot: true };
      return {
        id: player,
        name: chance.pick(NAMES),
        ...(chance.oneIn(3) ? { gold: chance.pick([0, 0.1, 1e-6, 12345.678, -3]) } : {}),
        stats: somePlayerStats(chance),
      };
    });
    const team =
      chance.below(4) === 3 ? { id: chance.pick(TEAMS), name: chance.pick(NAMES) } : null;
    return { members, ...(team ? { team } : {}) };
  };
  return aMatch({
    id,
    createdAt: chance.pick(TIMES),
    mode: chance.pick(chance.below(3) < 2 ? ["ranked", "private", "casual"] : MODES),
    ending: chance.pick(["victory", "surrender", "exitpractice", ""]),
    patch: chance.pick(["2.5", "2.6", "", "v,1"]),
    winner: chance.below(2) as 0 | 1,
    rosters: [roster(), roster()],
  });
}

function somePlayerStats(chance: Chance): JsonObject {
  const names = ["played", "wins", "played_ranked", "winStreak", "lossStreak", "lifetimeGold"];
  const chosen = names.filter(() => chance.below(5) === 4);
  return Object.fromEntries(chosen.map((name) => [name, chance.pick([0, 1, 7, 2 ** 53])]));
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
  // A relationship with its resource, shared or not.
  (document, chance) => {
    const resource = { type: chance.pick(["asset", "round", "skin"]), id: chance.pick(["a", "b"]) };
    const isKnown = document.included.some(
      ({ type, id }) => type === resource.type && id === resource.id,
    );
    if (!isKnown)
      document.included.push({ ...resource, attributes: { value: strangeValue(chance) } });
    const from = someResource(document, chance);
    const name = chance.pick(["assets", "next", "7"]);
    const data = chance.pick<Json>([{ ...resource }, [{ ...resource }]]);
    from.relationships = { ...(from.relationships as JsonObject), [name]: { data } };
  },
  ({ data: { attributes } }, chance) => {
    if (!isObject(attributes)) return;
    const big = chance.below(4) === 3 ? ", big: 9007199254740993" : "";
    attributes.stats = `endGameReason: victory, queue: ranked, gold: 12.50${big}`;
  },
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
  // Bots, in other words.
  ({ included }, chance) => {
    const participants = included.filter(({ type }) => type === "participant");
    if (participants.length > 0) {
      chance.pick(participants).relationships = { player: { data: null } };
    }
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
