/** Parses the options of a key from a JSON body, and reports all problems at once. */

import type { KeyOptions, NewKeyOptions } from "../access/key-store.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Tier } from "../domain/limits.ts";
import { keyOptionParsers } from "../settings/key-options.ts";
import type { Parsed } from "../settings/parsers.ts";
import { invalid, unknownName } from "./request.ts";

/** The options of a new key, which needs a name. Throws AdminError. */
export function readNewKeyOptions(body: JsonObject, tiers: readonly Tier[], now: number) {
  const missing = "name" in body ? [] : ["name is missing: say what the key is for"];
  return readKeyOptions(body, tiers, now, missing) as NewKeyOptions;
}

/** The options in a body. Throws AdminError with all problems, including `further` ones. */
export function readKeyOptions(
  body: JsonObject,
  tiers: readonly Tier[],
  now: number,
  further: readonly string[] = [],
): Partial<KeyOptions> {
  const problems = [...further];
  const options: Record<string, unknown> = {};
  const parsers = keyOptionParsers(tiers, now);
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(parsers, name)) {
      problems.push(unknownName(name, Object.keys(parsers)));
      continue;
    }
    const parsed = parseOption(name as keyof KeyOptions, value, parsers);
    if ("error" in parsed) problems.push(`${name}: ${parsed.error}`);
    else options[name] = parsed.value;
  }
  if (problems.length > 0) throw invalid("body", problems);
  return options;
}

const NUMBERS: readonly string[] = ["rate", "burst", "matchesPerDay"];

/** Null means the default of the tier, or none. The parsers take texts, as the command line has them. */
function parseOption(
  option: keyof KeyOptions,
  value: Json,
  parsers: Record<keyof KeyOptions, (text: string) => Parsed<unknown>>,
): Parsed<unknown> {
  if (value === null && option !== "name") return { value: null };
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  if (option === "shards" && isList) return parsers.shards(value.join("+"));
  const isNumber = NUMBERS.includes(option);
  if (typeof value === "string" || (typeof value === "number" && isNumber)) {
    return parsers[option](String(value));
  }
  if (option === "shards") return { error: 'must be an array of shard ids, e.g. ["na", "eu"]' };
  return { error: `must be a ${isNumber ? "number" : "string"}` };
}
