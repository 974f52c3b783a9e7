/**
 * Fuzzes the admin listener: the bodies of keys and of uploads. Keys are stored as they were sent, or not at all. An
 * upload stores and reports what `matchbook ingest` does with the same file.
 */

import { ADMIN_ERRORS, type AdminErrorCode } from "../../../src/admin/errors.ts";
import type { Json, JsonObject } from "../../../src/domain/json.ts";
import {
  type AdminReply,
  type AdminWorld,
  AUTHORIZATION,
  type Uploaded,
} from "../../support/admin.ts";
import type { Chance } from "../../support/chance.ts";
import { Complaint, type Target } from "./campaign.ts";
import { recordFile } from "./record-grammar.ts";
import { aStore, contentsOf, ingestFile } from "./stores.ts";
import { strangeName, strangeText, strangeValue } from "./values.ts";
import { type Wrapping, wrapped } from "./wrapping.ts";

/** One request with a body. {ID} in the path is an existing key. */
export interface AdminCase {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** One character per byte, before it is compressed. */
  body: string;
  wrapping: Wrapping;
}

export function adminTarget(
  world: AdminWorld,
  tamper: TamperBody = (body) => body,
): Target<AdminCase> {
  // The key whose changes are tried out.
  let subject: string | undefined;
  return {
    kind: "admin",
    generate: adminRequest,
    write: (one) => `${JSON.stringify(one, null, 2)}\n`,
    read: (text) => JSON.parse(text),
    async check(one) {
      if (one.path.startsWith("/ingest")) return upload(one, world, tamper);
      subject ??= (await world.ask("POST", "/keys", { name: "subject" })).body.record.id as string;
      return change(one, subject, world, tamper);
    },
  };
}

/** Changes the body of a response before it is checked. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
export type TamperBody = (body: any) => any;

export const COMPARED_KEY = "a key as it is stored";
export const COMPARED_UPLOAD = "an upload as by ingest";

function adminRequest(chance: Chance): AdminCase {
  if (chance.below(6) === 5) {
    const { text, wrapping } = recordFile(chance);
    return {
      method: "POST",
      path: `/ingest${chance.pick(["", "", "?shard={SHARD}", "?replace=true", "?replace=TRUE", "?shard=", "?x"])}`,
      headers: someHeaders(chance),
      body: text,
      wrapping,
    };
  }
  const [method, path] = chance.pick([
    ["POST", "/keys"],
    ["PATCH", "/keys/{ID}"],
    ["POST", "/keys/{ID}/rotate"],
    ["PATCH", "/keys/k_0000000000"],
    ["GET", "/keys/{ID}/usage?days=7"],
    ["POST", "/keys/%00"],
    ["DELETE", "/keys/{ID}"],
  ] as const);
  const body = someBody(chance, path.endsWith("rotate"));
  return { method, path, headers: {}, body, wrapping: "plain" };
}

const someHeaders = (chance: Chance): Record<string, string> =>
  chance.below(3) < 2
    ? {}
    : {
        "Content-Encoding": chance.pick(["gzip", "identity", "ZSTD", "x-gzip", "br", "gzip, gzip"]),
      };

/** The options of a key with valid values first, then others. */
const OPTIONS: Record<string, readonly Json[]> = {
  name: ["a", "Ada's bot", "x".repeat(100), "x".repeat(101), "", " ", "a\nb", "\u202e", null, 7],
  note: ["n", "", null, "x".repeat(500), "x".repeat(501), 7, "a\u0000"],
  tier: ["default", null, "gold", "", 1],
  rate: [60, 1, "30", null, "default", 0, -1, 1.5, 1e9, 1e21, "x", true],
  burst: [10, 1, null, "default", 0, 1.5, 2 ** 53],
  matchesPerDay: [1000, 0, null, "default", -1, 1e300],
  shards: [
    ["na"],
    ["na", "eu"],
    null,
    "na",
    "na+eu",
    "default",
    [],
    [""],
    ["NA"],
    [1],
    ["na", "na"],
  ],
  expiresAt: ["2099-01-01", "30d", null, "never", "2020-01-01", "9999999w", "2099-02-30", 5, ""],
};

function someBody(chance: Chance, isRotation: boolean): string {
  const members: [string, Json][] = [];
  if (isRotation)
    members.push([
      "overlapSeconds",
      chance.pick<Json>([60, 0, "7", 2678400, 2678401, -1, null, {}]),
    ]);
  else if (chance.below(10) < 9) members.push(["name", chance.pick(OPTIONS.name!)]);
  for (let times = isRotation ? 0 : chance.below(4); times > 0; times--) {
    const name = chance.pick(Object.keys(OPTIONS));
    const values = OPTIONS[name]!;
    members.push([name, chance.below(3) < 2 ? values[chance.below(3)]! : chance.pick(values)]);
  }
  if (chance.below(10) === 9) members.push([strangeName(chance), strangeValue(chance)]);
  const json = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
  if (chance.below(10) < 9) return Buffer.from(json).toString("latin1");
  return chance.pick([
    "",
    json.slice(0, -1),
    `[${json}]`,
    "null",
    `${json}${json}`,
    "\xff\xfe",
    `{"name":"${"\xff"}"}`,
    JSON.stringify(strangeText(chance)),
    " ".repeat(70_000),
    `{"name":${"[".repeat(5000)}`,
  ]);
}

async function change(
  { method, path, body }: AdminCase,
  subject: string,
  world: AdminWorld,
  tamper: TamperBody,
): Promise<string[]> {
  const before = await keysIn(world);
  const reply = await send(world, method, path.replace("{ID}", subject), body);
  reply.body = tamper(reply.body);
  const code = checkReply(reply);
  const after = await keysIn(world);
  if (reply.status >= 400 && JSON.stringify(before) !== JSON.stringify(after)) {
    throw new Complaint(`keys changed although the status is ${reply.status}`);
  }
  const record = reply.body?.record as JsonObject | undefined;
  if (reply.status < 300 && method !== "GET" && record) {
    const stored = after.find(({ id }) => id === record.id);
    if (!Bun.deepEquals(stored, record)) throw new Complaint("another key is stored than returned");
    checkOptions(JSON.parse(Buffer.from(body, "latin1").toString().trim() || "{}"), record);
  }
  const compared = record ? [COMPARED_KEY] : [];
  return [`${method} ${path} ${reply.status} ${code}`, ...problemsIn(reply), ...compared];
}

/** Which rules were broken, without what is quoted. */
const problemsIn = (reply: AdminReply): string[] =>
  ((reply.body?.error?.problems ?? []) as string[]).map((problem) =>
    problem.replaceAll(/"[^"]*"|\d+/g, "…").slice(0, 60),
  );

function checkOptions(sent: JsonObject, record: JsonObject): void {
  for (const name of ["name", "note"]) {
    const wanted = sent[name];
    if (typeof wanted !== "string" || wanted === "") continue;
    if (record[name] !== wanted)
      throw new Complaint(`${name} is stored as ${JSON.stringify(record[name])}`);
  }
}

const keysIn = async (world: AdminWorld): Promise<JsonObject[]> =>
  (await world.ask("GET", "/keys")).body.keys;

async function send(
  world: AdminWorld,
  method: string,
  path: string,
  body: string,
): Promise<AdminReply> {
  const response = await fetch(`${world.adminUrl}${path}`, {
    method,
    headers: AUTHORIZATION,
    ...(method === "GET" ? {} : { body: Buffer.from(body, "latin1") }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** Returns the code of an error. */
function checkReply(reply: Pick<AdminReply, "status" | "body" | "text">): string {
  const { status, body, text } = reply;
  if (body === undefined) throw new Complaint(`a body that is not JSON: ${text.slice(0, 200)}`);
  if (status >= 500) throw new Complaint(`status ${status}: ${text.slice(0, 500)}`);
  if (status < 400) return "";
  const { code, message } = body.error as { code: AdminErrorCode; message: string };
  if (ADMIN_ERRORS[code] !== status) throw new Complaint(`status ${status} with the code ${code}`);
  if (!message || /\p{Cc}/u.test(message)) throw new Complaint(`an unreadable message: ${message}`);
  return code;
}

let uploads = 0;

async function upload(
  { path, headers, body, wrapping }: AdminCase,
  world: AdminWorld,
  tamper: TamperBody,
): Promise<string[]> {
  uploads += 1;
  const shard = `f${uploads}`;
  const filled = body.replaceAll(/("shardId":\s*)"na"/g, `$1"${shard}"`);
  const file = wrapped(filled, wrapping);
  const reply: Uploaded = tamper(
    await world.upload(
      new Uint8Array(file),
      path.slice("/ingest".length).replace("{SHARD}", shard),
      headers,
    ),
  );
  const code = checkReply({ status: reply.status, body: reply, text: JSON.stringify(reply) });
  const isRead = reply.report !== undefined && !/[?]/.test(path);
  const isCompared = isRead && code !== "body-damaged";
  const store = await aStore("2000", false);
  try {
    if (isCompared) {
      const { report } = await ingestFile(store, file);
      if (!Bun.deepEquals(reply.report, report)) {
        throw new Complaint(`another report\n${JSON.stringify([reply.report, report])}`);
      }
      const [there, here] = [await contentsOf(world, shard), await contentsOf(store, shard)];
      if (there.digest !== here.digest) throw new Complaint("another digest than by ingest");
    }
  } finally {
    store.remove();
  }
  return [`upload ${reply.status} ${code} ${wrapping}`, ...(isCompared ? [COMPARED_UPLOAD] : [])];
}
