/** In charge of a document's content: from a JSON value to match records, or to reasons why not. */

import { isObject, type JsonObject, keyOf, type Resource } from "../domain/json.ts";
import type { MatchRecord } from "../domain/match.ts";
import type { DocumentText } from "./cutters.ts";
import { type Included, indexIncluded } from "./included.ts";
import { Excess, readable } from "./reasons.ts";
import { readText } from "./text.ts";
import { Unfolding } from "./unfold.ts";
import { type Surrounding, type ValidationContext, validate } from "./validate.ts";
import { parseAsWritten } from "./values.ts";

/** Where a record stood, for messages. */
export interface Origin {
  source: string;
  line: number;
}

/** Something that could not be taken in: every reason, and the thing itself to mend and resend. */
export interface Rejection {
  origin: Origin;
  problems: string[];
  /** The record as a document of its own; undefined when it could not be read as JSON. */
  document: JsonObject | undefined;
  /** The text it was found in; undefined when that was not kept. */
  bytes: Buffer | undefined;
}

export interface ReadRecord {
  origin: Origin;
  record: MatchRecord;
}

export interface ReadDocument {
  records: ReadRecord[];
  rejections: Rejection[];
}

export interface ReadingContext extends ValidationContext {
  longest: number;
}

export function readDocument(
  text: DocumentText,
  source: string,
  context: ReadingContext,
): ReadDocument {
  const origin = { source, line: text.line };
  const reject = (problems: string[]): ReadDocument => ({
    records: [],
    rejections: [{ origin, problems: readable(problems), document: undefined, bytes: text.bytes }],
  });
  const content = readText(text, source, context.longest);
  if ("faults" in content) return reject(content.faults);
  try {
    const read = readContent(content, origin, context);
    if (read.rejections.length > 0) keepAsWritten(read.rejections, content.json, content.value);
    for (const rejection of read.rejections) {
      rejection.bytes = text.bytes;
      rejection.problems = readable(rejection.problems);
    }
    return read;
  } catch (error) {
    if (error instanceof Excess) return reject([error.message]);
    throw error;
  }
}

/** More would rather be lines. */
const MOST_MATCHES = 10_000;

interface Content {
  value: unknown;
  isSound: boolean;
}

function readContent(
  { value, isSound }: Content,
  origin: Origin,
  context: ReadingContext,
): ReadDocument {
  const read: ReadDocument = { records: [], rejections: [] };
  const contents = Array.isArray(value) ? value : [value];
  checkCount(contents);
  const unfolding = new Unfolding(context.longest);
  for (const document of contents) {
    if (isObject(document) && (isObject(document.data) || Array.isArray(document.data))) {
      readMatches(document, origin, context, { unfolding, isSound }, read);
      continue;
    }
    read.rejections.push({
      origin,
      problems: [
        'this is not a match document: it must be an object whose "data" is a match or a list of matches',
      ],
      document: isObject(document) ? document : undefined,
      bytes: undefined,
    });
  }
  return read;
}

/** Throws Excess. */
function checkCount(contents: unknown[]): void {
  let matches = 0;
  for (const one of contents) {
    matches += isObject(one) && Array.isArray(one.data) ? one.data.length : 1;
  }
  if (matches <= MOST_MATCHES) return;
  throw new Excess(
    `one document holds ${matches} matches, and ${MOST_MATCHES} are the most: send them as lines, one document each`,
  );
}

/** What is handed back to be mended keeps the digits it came with, also where they are the problem. */
function keepAsWritten(rejections: Rejection[], json: string, content: unknown): void {
  let written: unknown;
  try {
    written = parseAsWritten(json);
  } catch (error) {
    // Nested too deeply: the text itself is handed back.
    if (!(error instanceof RangeError)) throw error;
    for (const rejection of rejections) rejection.document = undefined;
    return;
  }
  const twins = twinsOf(content, written, new Map(), RESOURCE_DEPTH);
  const twin = (part: unknown): unknown =>
    twins.get(part) ?? (Array.isArray(part) ? part.map(twin) : part);
  for (const rejection of rejections) {
    const { document } = rejection;
    if (!document) continue;
    const members = Object.entries(document).map(([name, part]) => [name, twin(part)]);
    rejection.document = Object.fromEntries(members) as JsonObject;
  }
}

/** A list of documents, a document, its data or included, a resource. */
const RESOURCE_DEPTH = 4;

/** The parts of one parse of a text, each with the same part of another parse. */
function twinsOf(one: unknown, other: unknown, twins: Map<unknown, unknown>, depth: number) {
  if (typeof one !== "object" || one === null || depth === 0) return twins;
  twins.set(one, other);
  for (const [name, part] of Object.entries(one)) {
    twinsOf(part, (other as JsonObject)[name], twins, depth - 1);
  }
  return twins;
}

/** What became of one match of a document, with everything the document includes of it. */
interface Outcome {
  match: unknown;
  record: MatchRecord | undefined;
  problems: string[];
  /** What the match leads to, and the repeats of it. */
  included: Resource[];
}

function readMatches(
  document: JsonObject,
  origin: Origin,
  context: ReadingContext,
  shared: Pick<Surrounding, "unfolding" | "isSound">,
  read: ReadDocument,
): void {
  const matches = Array.isArray(document.data) ? document.data : [document.data];
  const { index, repeats, problems: common } = indexIncluded(document);
  const surrounding = { ...shared, index };
  const linked = new Set<Resource>();
  const outcomes = matches.map((match): Outcome => {
    if (!isObject(match) || match.type !== "match") {
      const problem = 'data must hold resources whose "type" is "match"';
      return { match, record: undefined, problems: [problem], included: [] };
    }
    const validated = validate(match as unknown as Resource, surrounding, context);
    for (const resource of validated.reached) linked.add(resource);
    const included = validated.reached.slice(1);
    const problems = validated.ok ? [] : validated.problems;
    if (repeats.size > 0) addRepeats(validated.reached, repeats, included, problems);
    return { match, record: validated.ok ? validated.record : undefined, problems, included };
  });

  // Nothing that a document carries may vanish silently.
  const strays: [string, Resource][] = [];
  for (const entry of index) if (!linked.has(entry[1])) strays.push(entry);
  const linkedKeys = new Set(repeats.size > 0 ? namesOf([...linked]) : []);
  const strayRepeats = [...repeats].filter(([key]) => !linkedKeys.has(key));
  const general = [
    ...common,
    ...strays.map(
      ([key]) => `included holds ${key}, which nothing links to: link to it, or leave it out`,
    ),
    ...strayRepeats.map(([key]) => repeatProblem(key)),
  ];
  for (const outcome of outcomes) {
    const isAlone = outcomes.length === 1;
    const problems = isAlone ? [...outcome.problems, ...general] : outcome.problems;
    if (outcome.record && problems.length === 0) {
      read.records.push({ origin, record: outcome.record });
    } else {
      const included = isAlone ? document.included : outcome.included;
      const single = { data: outcome.match, ...(included ? { included } : {}) } as JsonObject;
      read.rejections.push({ origin, problems, document: single, bytes: undefined });
    }
  }
  if (outcomes.length !== 1 && general.length > 0) {
    const left = [...strays.map(([, one]) => one), ...strayRepeats.flatMap(([, copies]) => copies)];
    const rest = { data: [], included: left as unknown as JsonObject[] };
    read.rejections.push({ origin, problems: general, document: rest, bytes: undefined });
  }
}

/** Of the resources that a match leads to, those that stand in the document several times. */
function addRepeats(
  reached: Resource[],
  repeats: Included["repeats"],
  included: Resource[],
  problems: string[],
): void {
  for (const key of new Set(namesOf(reached))) {
    const copies = repeats.get(key);
    if (!copies) continue;
    included.push(...copies);
    problems.push(repeatProblem(key));
  }
}

/** The match itself may be without an id. */
const namesOf = (resources: Resource[]) =>
  resources.filter(({ id }) => typeof id === "string").map(keyOf);

const repeatProblem = (key: string) => `${key} appears more than once: send it once`;
