/** In charge of JSON bodies on the private listener: small, an object, or nothing at all. */

import { isObject, type JsonObject } from "../domain/json.ts";
import { AdminRefusal } from "./refusal.ts";

const LARGEST = 64 * 1024;

/** The object that was sent; an empty one if nothing was. Throws AdminRefusal. */
export async function readJson(request: Request): Promise<JsonObject> {
  const text = await readText(request);
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/^JSON Parse error: /, "");
    throw new AdminRefusal("invalid-body", `The body is no JSON: ${reason}. Send one object.`);
  }
  if (!isObject(value)) throw new AdminRefusal("invalid-body", "The body must be one JSON object.");
  return value;
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length")) > LARGEST) throw tooLarge();
  if (!request.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > LARGEST) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tooLarge(): AdminRefusal {
  return new AdminRefusal("body-too-large", `The body is larger than ${LARGEST} bytes: send less.`);
}
