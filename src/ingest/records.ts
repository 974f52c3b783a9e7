/** Reads the match records of one document, or the reasons why they are rejected. */

import {
  isObject,
  isReference,
  type Json,
  type JsonObject,
  keyOf,
  type Resource,
} from "../domain/json.ts";
import type { MatchRecord } from "../domain/match.ts";
import { CopyBudget } from "./collect-resources.ts";
import { parseDocument } from "./parse-json.ts";
import { isStateDocument, type ReadState, readState } from "./read-state.ts";
import { Excess, readable } from "./reject-reasons.ts";
import type { DocumentText } from "./split-documents.ts";
import { type SharedContext, type ValidationContext, validate } from "./validate.ts";

/** Where a record was found, for messages. */
export interface Origin {
  source: string;
  line: number;
}

/** A rejected record: every problem, and the record itself to fix and send again. */
export interface Rejection {
  origin: Origin;
  problems: string[];
  /** The record as its own document; undefined if it is not valid JSON. */
  document: JsonObject | undefined;
  /** The text it was found in; undefined if that was too long to keep. */
  bytes: Buffer | undefined;
}

export interface ReadingContext extends ValidationContext {
  longest: number;
}

/** The records of a document, or the state of a shard, and what is rejected of it. */
export function readDocument(
  text: DocumentText,
  source: string,
  context: ReadingContext,
): { records: MatchRecord[]; state?: ReadState; rejections: Rejection[] } {
  const records: MatchRecord[] = [];
  const rejections: Rejection[] = [];
  const origin = { source, line: text.line };
  const reject = (problems: string[], document?: JsonObject) => {
    rejections.push({ origin, problems: readable(problems), document, bytes: text.bytes });
  };
  const parsed = parseDocument(text);
  if ("problems" in parsed) {
    reject(parsed.problems);
    return { records, rejections };
  }
  const documents = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  const shared = { copies: new CopyBudget(context.longest), isSafe: parsed.isSafe };
  try {
    if (isStateDocument(parsed.value)) {
      const state = readState(parsed.value, parsed.isSafe, context);
      if (!Array.isArray(state)) return { records, state, rejections };
      reject(state, parsed.value);
      return { records, rejections };
    }
    checkCount(documents);
    for (const document of documents) {
      if (isObject(document) && (isObject(document.data) || Array.isArray(document.data))) {
        readMatches(document, context, shared, records, reject);
      } else reject([NOT_A_MATCH_DOCUMENT], isObject(document) ? document : undefined);
    }
  } catch (error) {
    if (!(error instanceof Excess)) throw error;
    records.length = rejections.length = 0;
    reject([error.message]);
  }
  return { records, rejections };
}

const NOT_A_MATCH_DOCUMENT =
  'not a match document: it must be an object whose "data" is a match or an array of matches';

/** More should be sent as NDJSON. */
const MOST_MATCHES = 10_000;

/** Throws Excess. */
function checkCount(documents: unknown[]): void {
  let matches = 0;
  for (const one of documents) {
    matches += isObject(one) && Array.isArray(one.data) ? one.data.length : 1;
  }
  if (matches <= MOST_MATCHES) return;
  throw new Excess(
    `the document has ${matches} matches, more than ${MOST_MATCHES}: send one document per line`,
  );
}

/** Reads the matches of a document one by one, so that an invalid one does not affect the others. */
function readMatches(
  document: JsonObject,
  context: ReadingContext,
  shared: Pick<SharedContext, "copies" | "isSafe">,
  records: MatchRecord[],
  reject: (problems: string[], document: JsonObject) => void,
): void {
  const matches = Array.isArray(document.data) ? document.data : [document.data!];
  const isAlone = matches.length === 1;
  const { index, repeats, problems: general } = indexIncluded(document, matches);
  const linked = new Set<Resource>();
  const results = matches.map((match) => {
    if (!isObject(match) || match.type !== "match") {
      return {
        match,
        problems: ['data must contain resources of the type "match"'],
        included: [],
      };
    }
    const validated = validate(match as unknown as Resource, { ...shared, index }, context);
    const { reached, problems } = validated;
    const included = reached.slice(1);
    for (const resource of reached) {
      linked.add(resource);
      const copies = repeats.size > 0 ? repeats.get(keyOf(resource)) : undefined;
      if (!copies) continue;
      problems.push(repeatProblem(resource));
      for (const copy of copies) {
        included.push(copy);
        linked.add(copy);
      }
    }
    return { match, problems, included, record: validated.record };
  });

  // Nothing in a document may be lost silently.
  const strays = [...index.values()].filter((resource) => !linked.has(resource));
  const strayCopies = [...repeats.values()].flat().filter((resource) => !linked.has(resource));
  for (const stray of strays) {
    general.push(
      `included contains ${keyOf(stray)}, which nothing links to: link to it or remove it`,
    );
  }
  general.push(...strayCopies.map(repeatProblem));

  for (const { match, problems, included, record } of results) {
    if (isAlone) problems.push(...general);
    if (record && problems.length === 0) records.push(record);
    else {
      const sent = isAlone ? document.included : asJson(included);
      reject(problems, { data: match, ...(sent ? { included: sent } : {}) });
    }
  }
  if (!isAlone && general.length > 0) {
    reject(general, { data: [], included: asJson([...strays, ...strayCopies]) });
  }
}

const asJson = (resources: Resource[]) => resources as unknown as Json[];

const repeatProblem = (resource: Resource) =>
  `${keyOf(resource)} appears more than once: include it once`;

/** The first included resource of each type and id, and those that repeat one or a match. */
function indexIncluded(document: JsonObject, matches: Json[]) {
  const index = new Map<string, Resource>();
  const repeats = new Map<string, Resource[]>();
  const problems: string[] = [];
  const included = document.included ?? [];
  if (!Array.isArray(included)) return { index, repeats, problems: ["included must be an array"] };
  const primary = new Set(matches.map((match) => (isReference(match) ? keyOf(match) : "")));
  for (const resource of included) {
    if (!isReference(resource)) {
      problems.push('included must contain resources with a "type" and an "id"');
      continue;
    }
    const one = resource as unknown as Resource;
    const key = keyOf(one);
    if (!index.has(key) && !primary.has(key)) index.set(key, one);
    else if (!repeats.get(key)?.push(one)) repeats.set(key, [one]);
  }
  return { index, repeats, problems };
}
