/** Parses query strings and JSON bodies on the admin listener. */

import { isObject, type JsonObject } from "../domain/json.ts";
import { nearest } from "../text/nearest.ts";
import type { AdminQuery } from "./endpoint.ts";
import { AdminError } from "./errors.ts";

const MAX_BODY_BYTES = 64 * 1024;

/** The parameters that were given, each at most once. Throws AdminError. */
export function readQuery(query: string, known: readonly string[]): AdminQuery {
  const given: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    const found = known.find((one) => one === name);
    if (found === undefined) problems.push(unknownName(name, known));
    else if (given[found] !== undefined) problems.push(`${name} is given twice: send it once`);
    else given[found] = value;
  }
  if (problems.length > 0) throw invalid("query", problems);
  return given;
}

/** The JSON object in the body; an empty one if there is no body. Throws AdminError. */
export async function readJson(request: Request): Promise<JsonObject> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/^JSON Parse error: /, "");
    throw new AdminError(
      "invalid-body",
      `The body is not valid JSON: ${reason}. Send one JSON object.`,
    );
  }
  if (!isObject(value)) throw new AdminError("invalid-body", "The body must be a JSON object.");
  return value;
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length")) > MAX_BODY_BYTES) throw tooLarge();
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tooLarge(): AdminError {
  return new AdminError("body-too-large", `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}

/** All problems in one sentence. The last may be a question. */
export function invalid(what: "query" | "body", problems: readonly string[]): AdminError {
  const words = `The ${what} is invalid: ${problems.join("; ")}`;
  return new AdminError(`invalid-${what}`, words.endsWith("?") ? words : `${words}.`, { problems });
}

/** The problem of an unknown name, with a suggestion. */
export function unknownName(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  const others = known.length === 0 ? "none is supported here" : `supported: ${known.join(", ")}`;
  return `${JSON.stringify(name.slice(0, 64))} is unknown; ${guess ? `did you mean ${guess}?` : others}`;
}
