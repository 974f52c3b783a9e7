/** In charge of the terms of a key as a JSON body gives them: everything that is wrong, at once. */

import type { KeyTerms } from "../access/key-store.ts";
import type { Tier } from "../domain/allowance.ts";
import type { Json, JsonObject } from "../domain/json.ts";
import { keyOptionParsers, LONGEST_OVERLAP_MS } from "../settings/key-options.ts";
import { type Parsed, wholeNumber } from "../settings/parsers.ts";
import { sentence, unknown } from "./query.ts";
import { AdminRefusal } from "./refusal.ts";

const USUAL_OVERLAP_SECONDS = 86_400;

/** What a value may be in JSON; null leaves a term to the tier, or open. */
const KINDS: Record<keyof KeyTerms, "text" | "number" | "list"> = {
  name: "text",
  note: "text",
  tier: "text",
  rate: "number",
  burst: "number",
  matchesPerDay: "number",
  shards: "list",
  expiresAt: "text",
};
const TERMS = Object.keys(KINDS) as (keyof KeyTerms)[];

/** The terms that a body gives. Throws AdminRefusal with all that is wrong. */
export function readTerms(body: JsonObject, tiers: readonly Tier[], now: number) {
  return read(body, tiers, now, []);
}

/** The same for a key that is to be made: it needs a name. */
export function readNewTerms(body: JsonObject, tiers: readonly Tier[], now: number) {
  const missing = "name" in body ? [] : ["name is missing: say whom or what the key is for"];
  return read(body, tiers, now, missing) as Partial<KeyTerms> & Pick<KeyTerms, "name">;
}

function read(
  body: JsonObject,
  tiers: readonly Tier[],
  now: number,
  problems: string[],
): Partial<KeyTerms> {
  const terms: Record<string, unknown> = {};
  const parsers = keyOptionParsers(tiers, now);
  for (const [name, value] of Object.entries(body)) {
    const term = TERMS.find((one) => one === name);
    if (term === undefined) {
      problems.push(unknown(name, TERMS));
      continue;
    }
    const parsed = parse(term, value, parsers[term]);
    if ("error" in parsed) problems.push(`${term} ${parsed.error}`);
    else terms[term] = parsed.value;
  }
  if (problems.length > 0) throw invalidBody(problems);
  return terms;
}

function parse(
  term: keyof KeyTerms,
  value: Json,
  parseText: (text: string) => Parsed<unknown>,
): Parsed<unknown> {
  if (value === null && term !== "name") return { value: null };
  const text = textOf(KINDS[term], value);
  return text === undefined ? { error: EXPECTED[KINDS[term]] } : parseText(text);
}

const EXPECTED = {
  text: "must be a text",
  number: "must be a number",
  list: 'must be a list of shards, for example ["na", "eu"]',
} as const;

/** Values as the parsers read them, which are those of the command line. */
function textOf(kind: "text" | "number" | "list", value: Json): string | undefined {
  if (typeof value === "string") return value;
  if (kind === "number" && typeof value === "number") return String(value);
  if (kind !== "list" || !Array.isArray(value)) return undefined;
  return value.every((one) => typeof one === "string") ? value.join("+") : undefined;
}

/** Milliseconds for which a rotated key stays good. Throws AdminRefusal. */
export function readOverlap(body: JsonObject): number {
  const member = "overlapSeconds";
  const problems = Object.keys(body)
    .filter((name) => name !== member)
    .map((name) => unknown(name, [member]));
  const value = body[member] ?? USUAL_OVERLAP_SECONDS;
  const parsed = wholeNumber(0, LONGEST_OVERLAP_MS / 1000)(String(value));
  if ("error" in parsed) problems.push(`${member} ${parsed.error}`);
  if ("error" in parsed || problems.length > 0) throw invalidBody(problems);
  return parsed.value * 1000;
}

function invalidBody(problems: readonly string[]): AdminRefusal {
  return new AdminRefusal("invalid-body", sentence("The body is wrong", problems), {
    problems,
  });
}
