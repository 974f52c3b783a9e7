/** A complete Matchbook for tests: a data folder with records, a key, and a server on a free port. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/access/clock.ts";
import type { KeyOptions } from "../../src/access/key-store.ts";
import type { Json, JsonObject } from "../../src/domain/json.ts";
import { ingest } from "../../src/ingest/ingest.ts";
import type { Rejection } from "../../src/ingest/records.ts";
import type { Report } from "../../src/ingest/report.ts";
import { type Observe, unobserved } from "../../src/observe/events.ts";
import { openAccess } from "../../src/open-access.ts";
import type { openShards } from "../../src/open-stores.ts";
import type { Settings } from "../../src/settings/definitions.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { serve } from "../../src/wiring.ts";
import { withShards } from "./prune.ts";
import { checkReply } from "./replies.ts";

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
  body: any;
}

export interface Ingested {
  report: Report;
  rejections: Rejection[];
  conflicts: string[];
}

interface IngestOptions {
  replace?: boolean;
  batch?: number;
  shard?: string;
  threads?: number;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

export const JSON_API = "application/vnd.api+json";

/** A temporary folder; `remove` deletes it. */
export function aFolder(): { path: string; remove(): void } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "matchbook-test-"));
  const remove = () => rmSync(path, { recursive: true, force: true });
  return { path, remove, [Symbol.dispose]: remove };
}

/** Creates a key. Running servers notice it within a second or two. */
export async function makeKey(
  place: Parameters<typeof openAccess>[0],
  options: Partial<KeyOptions> = {},
): Promise<{ id: string; key: string }> {
  const access = openAccess(place);
  const { key, record } = await access.keys.create({ name: "test", ...options }, Date.now());
  await access.close();
  return { id: record.id, key };
}

/** A request with a key and Accept, whatever the response may be. */
export async function getAs(
  { url, key }: Pick<World, "url" | "key">,
  path: string,
  options: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<{ status: number; headers: Headers; body: JsonObject }> {
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API, ...options.headers };
  const response = await fetch(`${url}${path}`, { ...options, headers });
  const { status } = response;
  const isJson = response.headers.get("content-type")?.includes("json");
  const body = isJson ? ((await response.json()) as JsonObject) : { text: await response.text() };
  return { status, headers: response.headers, body };
}

export async function startWorld(
  documents: Json[] = [],
  flags: Record<string, string> = {},
  clock?: Clock,
  /** The settings file, for settings that are tables. */
  toml = "",
  maintenancePace?: Parameters<typeof serve>[5],
  feedPace?: Parameters<typeof serve>[6],
  log: Observe = unobserved,
) {
  const folder = aFolder();
  writeFileSync(join(folder.path, "matchbook.toml"), toml);
  const { values: settings } = loadSettings({
    flags: {
      data: folder.path,
      port: "0",
      "log-level": "silent",
      rate: "1000000",
      // Many tests send many requests or invalid keys, all from one IP address.
      "open-requests-per-minute": "0",
      "drain-ms": "0",
      // Nor may a busy machine refuse them.
      "max-delay-ms": "0",
      ...flags,
    },
    env: {},
    cwd: folder.path,
  });
  const { key } = await makeKey({ data: folder.path });
  if (documents.length > 0) await ingestInto(settings, documents);
  const server = await serve(settings, log, clock, undefined, undefined, maintenancePace, feedPace);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop("test").then(() => folder.remove());
    return stopped;
  };
  return {
    data: folder.path,
    settings,
    url: server.url,
    /** The URL of the admin listener, if the flags enable one. */
    adminUrl: server.adminUrl,
    key,
    /** A request with key and Accept. Headers can be overridden, or omitted with null. */
    async get(
      path: string,
      headers: Record<string, string | null> = {},
      method = "GET",
    ): Promise<Reply> {
      const all = { Authorization: `Bearer ${key}`, Accept: JSON_API, ...headers };
      const sent = Object.entries(all).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      );
      const response = await fetch(path.startsWith("http") ? path : `${server.url}${path}`, {
        method,
        headers: sent,
      });
      const text = await response.text();
      const { status } = response;
      const { compat } = settings;
      // Another server on the same data may have no profile.
      const isOther = path.startsWith("http") && !path.startsWith(server.url);
      if (compat === "off" || !isOther) {
        checkReply({ method, path, status, headers: response.headers, text, compat });
      }
      return {
        status,
        headers: response.headers,
        text,
        body: text === "" ? undefined : JSON.parse(text),
      };
    },
    /** Ingests documents, in one batch by default. */
    ingest: (more: Json[], options?: IngestOptions) => ingestInto(settings, more, options),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Does what `matchbook ingest` does, within this process. */
export const ingestInto = (
  settings: Settings,
  documents: Json[],
  options: IngestOptions = {},
): Promise<Ingested> =>
  withShards(settings, (shards) => ingestWith(shards, settings, documents, options));

/** The same into shards that are open, and stay so. */
export function ingestWith(
  shards: ReturnType<typeof openShards>,
  settings: Settings,
  documents: Json[],
  options: IngestOptions = {},
): Promise<Ingested> {
  return ingestBytes(shards, settings, lines(documents), { batch: 10_000, ...options });
}

/** The same with any file, at any time. */
export async function ingestBytes(
  shards: ReturnType<typeof openShards>,
  settings: Settings,
  bytes: AsyncIterable<Uint8Array>,
  options: IngestOptions & { clock?(): number } = {},
): Promise<Ingested> {
  const rejections: Rejection[] = [];
  const conflicts: string[] = [];
  const report = await ingest([{ name: "test", bytes }], {
    writer: (id) => shards.writer(id),
    clock: options.clock ?? Date.now,
    replace: options.replace ?? false,
    threads: options.threads ?? 0,
    batch: options.batch ?? settings.batch,
    context: {
      shard: options.shard,
      shards: shards.allowed,
      titleId: settings["title-id"],
      longest: settings["max-record-bytes"],
    },
    onRejection: (rejection) => rejections.push(rejection),
    onConflict: (id) => conflicts.push(id),
    onProgress() {},
  });
  return { report, rejections, conflicts };
}

async function* lines(documents: Json[]): AsyncGenerator<Uint8Array> {
  for (const document of documents) yield Buffer.from(`${JSON.stringify(document)}\n`);
}

/** The resource with this type and id in a document's `included`. */
export function included(body: JsonObject, type: string, id?: string): JsonObject | undefined {
  return (body.included as JsonObject[]).find(
    (one) => one.type === type && (id === undefined || one.id === id),
  );
}
