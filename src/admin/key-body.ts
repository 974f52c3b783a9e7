/** Parses the options of a key from a JSON body, and reports all problems at once. */

import type { KeyOptions } from "../access/key-store.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import type { Tier } from "../domain/limits.ts";
import { keyOptionParsers, MAX_OVERLAP_MS } from "../settings/key-options.ts";
import { type Parsed, wholeNumber } from "../settings/parsers.ts";
import { invalidBody, unknownName } from "./request.ts";

const DEFAULT_OVERLAP_SECONDS = 86_400;

type Kind = "text" | "number" | "list";

/** The JSON type of each option; null means the default of the tier, or none. */
const KINDS: Record<keyof KeyOptions, Kind> = {
  name: "text",
  note: "text",
  tier: "text",
  rate: "number",
  burst: "number",
  matchesPerDay: "number",
  shards: "list",
  expiresAt: "text",
};
const OPTIONS = Object.keys(KINDS) as (keyof KeyOptions)[];

const EXPECTED: Record<Kind, string> = {
  text: "must be a string",
  number: "must be a number",
  list: 'must be an array of shard ids, e.g. ["na", "eu"]',
};

/** The options of a new key, which needs a name. Throws AdminError. */
export function readNewKeyOptions(body: JsonObject, tiers: readonly Tier[], now: number) {
  const missing = "name" in body ? [] : ["name is missing: say what the key is for"];
  return readKeyOptions(body, tiers, now, missing) as Partial<KeyOptions> &
    Pick<KeyOptions, "name">;
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
    const option = OPTIONS.find((one) => one === name);
    if (option === undefined) {
      problems.push(unknownName(name, OPTIONS));
      continue;
    }
    const parsed = parseOption(option, value, parsers[option]);
    if ("error" in parsed) problems.push(`${option}: ${parsed.error}`);
    else options[option] = parsed.value;
  }
  if (problems.length > 0) throw invalidBody(problems);
  return options;
}

function parseOption(
  option: keyof KeyOptions,
  value: Json,
  parseText: (text: string) => Parsed<unknown>,
): Parsed<unknown> {
  if (value === null && option !== "name") return { value: null };
  const text = textOf(KINDS[option], value);
  return text === undefined ? { error: EXPECTED[KINDS[option]] } : parseText(text);
}

/** A value as text for the parsers, which the command line shares. */
function textOf(kind: Kind, value: Json): string | undefined {
  if (typeof value === "string") return value;
  if (kind === "number" && typeof value === "number") return String(value);
  if (kind !== "list" || !Array.isArray(value)) return undefined;
  return value.every((one) => typeof one === "string") ? value.join("+") : undefined;
}

/** Milliseconds for which the old secret of a rotated key stays valid. Throws AdminError. */
export function readOverlap(body: JsonObject): number {
  const member = "overlapSeconds";
  const problems = Object.keys(body)
    .filter((name) => name !== member)
    .map((name) => unknownName(name, [member]));
  const value = body[member] ?? DEFAULT_OVERLAP_SECONDS;
  const parsed = wholeNumber(0, MAX_OVERLAP_MS / 1000)(String(value));
  if ("error" in parsed) problems.push(`${member}: ${parsed.error}`);
  if ("error" in parsed || problems.length > 0) throw invalidBody(problems);
  return parsed.value * 1000;
}
