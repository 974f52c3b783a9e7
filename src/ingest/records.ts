/** In charge of a document's text: from bytes to match records, or to reasons why not. */

import { isObject, type JsonObject, keyOf, type Resource } from "../domain/json.ts";
import type { MatchRecord } from "../domain/match.ts";
import type { DocumentText } from "./documents.ts";
import type { ResourceIndex } from "./gather.ts";
import { type ValidationContext, validate } from "./validate.ts";
import { parseExactly } from "./values.ts";

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

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readDocument(
  text: DocumentText,
  source: string,
  context: ReadingContext,
): ReadDocument {
  const origin = { source, line: text.line };
  const reject = (problem: string, document?: JsonObject): ReadDocument => ({
    records: [],
    rejections: [{ origin, problems: [problem], document, bytes: text.bytes }],
  });
  if (text.bytes === undefined) {
    return reject(
      `the document is longer than ${context.longest} bytes: split it, or raise max-record-bytes`,
    );
  }
  let content: unknown;
  try {
    content = parseExactly(decoder.decode(text.bytes));
  } catch (error) {
    return reject(
      error instanceof SyntaxError
        ? `this is not JSON: ${error.message}`
        : "this is not UTF-8 text: save the file as UTF-8",
    );
  }
  const read: ReadDocument = { records: [], rejections: [] };
  for (const document of Array.isArray(content) ? content : [content]) {
    if (!isObject(document) || !(isObject(document.data) || Array.isArray(document.data))) {
      return reject(
        'this is not a match document: it must be an object whose "data" is a match or a list of matches',
        isObject(document) ? document : undefined,
      );
    }
    readMatches(document, origin, context, read);
  }
  return read;
}

function readMatches(
  document: JsonObject,
  origin: Origin,
  context: ReadingContext,
  read: ReadDocument,
): void {
  const matches = Array.isArray(document.data) ? document.data : [document.data];
  const { index, problems: common } = indexIncluded(document);
  const linked = new Set<Resource>();
  const outcomes = matches.map((match) => {
    if (!isObject(match) || match.type !== "match") {
      const problem = 'data must hold resources whose "type" is "match"';
      return { match, ok: false as const, problems: [problem], reached: [] };
    }
    const validated = validate(match as unknown as Resource, index, context);
    for (const resource of validated.reached) linked.add(resource);
    return { match, ...validated };
  });

  // Nothing that a document carries may vanish silently.
  const strays = [...index.values()].filter((resource) => !linked.has(resource));
  const stray = strays.map((one) => `included holds ${keyOf(one)}, which nothing links to`);
  const general = [...common, ...stray];
  for (const outcome of outcomes) {
    const problems = [
      ...(outcome.ok ? [] : outcome.problems),
      ...(outcomes.length === 1 ? general : []),
    ];
    if (outcome.ok && problems.length === 0) {
      read.records.push({ origin, record: outcome.record });
    } else {
      const included = outcomes.length === 1 ? document.included : outcome.reached.slice(1);
      const single = { data: outcome.match, ...(included ? { included } : {}) } as JsonObject;
      read.rejections.push({ origin, problems, document: single, bytes: undefined });
    }
  }
  if (outcomes.length !== 1 && general.length > 0) {
    const rest = { data: [], included: strays as unknown as JsonObject[] };
    read.rejections.push({ origin, problems: general, document: rest, bytes: undefined });
  }
}

function indexIncluded(document: JsonObject): { index: ResourceIndex; problems: string[] } {
  const index = new Map<string, Resource>();
  const problems: string[] = [];
  const included = document.included ?? [];
  if (!Array.isArray(included)) return { index, problems: ["included must be a list"] };
  const primary = new Set(
    (Array.isArray(document.data) ? document.data : [document.data]).map((match) =>
      isObject(match) ? `match/${match.id}` : "",
    ),
  );
  for (const resource of included) {
    if (
      !isObject(resource) ||
      typeof resource.type !== "string" ||
      typeof resource.id !== "string"
    ) {
      problems.push('included must hold resources with a "type" and an "id"');
      continue;
    }
    const key = keyOf(resource as unknown as Resource);
    if (index.has(key) || primary.has(key)) problems.push(`${key} appears more than once`);
    else index.set(key, resource as unknown as Resource);
  }
  return { index, problems };
}
