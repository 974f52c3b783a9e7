/**
 * The frozen contract: the OpenAPI document, a response of each endpoint and one for each error code, as they were when
 * somebody last decided to change them. UPDATE_CONTRACT=1 rewrites them.
 */

import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/domain/errors.ts";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { replyMessages } from "../docs/messages-http.ts";
import { frozen, written } from "./frozen.ts";
import { responses, WISHES } from "./responses.ts";

type Snapshot = Record<string, Json>;
const FILES = ["openapi", "responses", "errors"] as const;
type File = (typeof FILES)[number];

/** Without those that only features have that are removed. */
const CODES = Object.keys(ERRORS).filter(
  (code) =>
    !["not-ready", "cursor-expired", "too-many-streams"].includes(code) ||
    ROUTES.some((route) => route.access === "key" && route.codes?.some((one) => one === code)),
);

const pathOf = (file: File) => join(import.meta.dir, `${file}.json`);
const committed = (file: File): Snapshot => JSON.parse(readFileSync(pathOf(file), "utf8"));

/** Before anything is rewritten: a run that changed the contract fails. */
const before = Object.fromEntries(FILES.map((file) => [file, committed(file)]));
let now: Record<File, Snapshot>;

beforeAll(async () => {
  const { responses: all, openApi } = await responses();
  now = { openapi: parts(openApi), responses: all, errors: await errors() };
  if (!process.env.UPDATE_CONTRACT) return;
  for (const file of FILES) {
    writeFileSync(pathOf(file), `${written(now[file])}\n`);
  }
});

/** Part by part, so that a difference is found. */
function parts(openApi: Json): Snapshot {
  const { paths, components, ...rest } = openApi as Record<string, JsonObject>;
  const named: Snapshot = { document: rest };
  for (const [path, operations] of Object.entries(paths!)) named[`paths ${path}`] = operations;
  for (const [kind, components_] of Object.entries(components!)) {
    for (const [name, one] of Object.entries(components_ as JsonObject)) {
      named[`components ${kind} ${name}`] = one;
    }
  }
  return named;
}

/** The first response with each code. */
async function errors(): Promise<Snapshot> {
  const messages = await replyMessages();
  const found = CODES.map((code): [string, Json] => {
    const message = messages.find(({ errors: [first] }) => first?.code === code);
    if (!message) throw new Error(`no response has the code ${code}`);
    return [code, { request: message.request, ...maskedError(frozen(message.reply)) }];
  });
  return Object.fromEntries(found);
}

/** These requests run at once, with other limits each, on a real clock. */
function maskedError({ status, headers, body }: JsonObject): JsonObject {
  const masked = Object.entries(headers as Record<string, string>).map(([name, value]) => [
    name,
    /^(x-)?ratelimit/.test(name) ? "<limit>" : value,
  ]);
  const text = JSON.stringify(body)
    .replaceAll(/(the current time, )[^;]+/g, "$1<now>")
    .replaceAll(/(\d+ days ago \()[^)]+/g, "$1<time>");
  return { status: status!, headers: Object.fromEntries(masked), body: JSON.parse(text) };
}

describe.each(FILES)("test/contract/%s.json", (file) => {
  test("is what the server sends (UPDATE_CONTRACT=1 rewrites it; commit that alone)", () => {
    expect(Object.keys(now[file])).toEqual(Object.keys(before[file]!));
    for (const [name, value] of Object.entries(before[file]!)) {
      expect({ [name]: now[file][name] }).toEqual({ [name]: value });
    }
  });
});

test("every endpoint and every error code is in the contract", () => {
  expect([...new Set(WISHES.map(({ route }) => route))].sort()).toEqual(
    ROUTES.map(({ path }) => path).sort(),
  );
  expect(Object.keys(before.errors!)).toEqual(CODES);
});
