/**
 * Follows the changes of a shard in several ways at once, while it is written and processes are killed: every consumer
 * sees every change, in order, and nothing else. CHANGES=100000 follows more of them.
 */

import { afterEach, describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeLines } from "../support/demo.ts";
import { StreamClient } from "../support/event-stream.ts";
import { doneAt, linesOf, shardsFile } from "../support/places.ts";
import { startCluster } from "../support/postgres.ts";
import { asProcess, startServerProcess } from "../support/process.ts";
import { scaled } from "../support/scale.ts";
import { shared, sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { JSON_API, makeKey } from "../support/world.ts";
import { type ChangeResource, FEATURES } from "./features.ts";

const CHANGES = Number(process.env.CHANGES ?? scaled(480));
const TIMEOUT_MS = 120_000 + CHANGES * 20;
const SHARD = "na";

const cluster = shared(() => startCluster());
const folder = sharedFolder();
const started: { kill(signal: "SIGKILL"): void }[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Where the server is at the moment, and the key to read it with. */
interface Service {
  url: string;
  key: string;
  /** Whether the database of the shard is restarted as well. */
  hasOutage: boolean;
  /** The id of the last change, once nothing is written any more. */
  last?: string;
}

/** Everything that a consumer has seen, in this order. */
type Seen = ChangeResource[];

const headers = ({ key }: Service) => ({ Authorization: `Bearer ${key}`, Accept: JSON_API });
const changesUrl = ({ url }: Service, parameters: Record<string, string>) =>
  `${url}/shards/${SHARD}/changes?${new URLSearchParams(parameters)}`;

/** Waits a moment where the server cannot be reached. */
const RETRY_MS = 20;

/** Undefined if the server was killed before or during the response. What is wrong in a response is not caught here. */
async function answerOf(service: Service, parameters: Record<string, string>) {
  try {
    const response = await fetch(changesUrl(service, parameters), { headers: headers(service) });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** A page of changes, and the cursor to go on with. */
function pageIn({ status, text }: { status: number; text: string }) {
  expect([status, text]).toEqual([200, text]);
  const { data, links } = JSON.parse(text) as { data: ChangeResource[]; links: { next: string } };
  return { data, next: new URL(links.next).searchParams.get("page[after]")! };
}

/** Whether the server says that it cannot read the shard, which only happens while PostgreSQL is down. */
function isUnavailable({ hasOutage }: Service, status: number, text: string): boolean {
  if (status !== 503 || !hasOutage) return false;
  expect(text).toMatch(/"code":"(shard|keys)-unavailable"/);
  return true;
}

/** Follows the pages. Forgets every third page before its cursor is stored, as a consumer that was killed. */
async function followPages(service: Service): Promise<Seen> {
  const seen: Seen = [];
  let cursor = "oldest";
  for (let count = 0; !hasAll(service, seen); count++) {
    const answer = await answerOf(service, { "page[after]": cursor });
    if (!answer || isUnavailable(service, answer.status, answer.text)) {
      await Bun.sleep(RETRY_MS);
      continue;
    }
    const { data, next } = pageIn(answer);
    seen.push(...data);
    if (count % 3 !== 2) cursor = next;
    if (data.length === 0) await Bun.sleep(RETRY_MS);
  }
  return seen;
}

const hasAll = ({ last }: Service, seen: Seen) => last !== undefined && seen.at(-1)?.id === last;

/** Reads the stream. Drops the connection after some changes, and goes on after the last one it has stored. */
async function followStream(service: Service): Promise<Seen> {
  const seen: Seen = [];
  let stored = "oldest";
  for (let count = 0; !hasAll(service, seen); count++) {
    const client = await openStream(service, stored);
    if (!client) {
      await Bun.sleep(RETRY_MS);
      continue;
    }
    const dropAfter = 5 + ((count * 37) % 90);
    // The last change may have been seen before it is known to be the last one.
    const watch = setInterval(() => hasAll(service, seen) && client.close(), RETRY_MS);
    for (let taken = 1; taken <= dropAfter && !hasAll(service, seen); taken++) {
      // Until the server ends the stream, or is killed.
      const event = await client.next().catch(() => undefined);
      if (event?.event !== "change") break;
      const change: ChangeResource = JSON.parse(event.data);
      expect(change.id).toBe(event.lastId);
      seen.push(change);
      // The last one is not stored before the connection is dropped.
      if (taken < dropAfter) stored = change.id;
    }
    clearInterval(watch);
    client.close();
  }
  return seen;
}

/** Undefined if the server cannot be reached, or cannot read the shard. */
async function openStream(service: Service, stored: string): Promise<StreamClient | undefined> {
  const all = {
    ...headers(service),
    Accept: "text/event-stream",
    ...(stored === "oldest" ? {} : { "Last-Event-ID": stored }),
  };
  const url = changesUrl(service, { "page[after]": "oldest" });
  const abort = new AbortController();
  const response = await fetch(url, { headers: all, signal: abort.signal }).catch(() => undefined);
  if (!response) return undefined;
  if (response.status === 200) return new StreamClient(response, abort);
  const text = await response.text().catch(() => undefined);
  if (text === undefined || isUnavailable(service, response.status, text)) return undefined;
  throw new Error(`${response.status} ${text}`);
}

/** The numbers of cursors grow with every change. */
const numberOf = ({ id }: ChangeResource) => Number.parseInt(id.split("-")[0]!, 36);

/** Each change when it was seen for the first time. */
function firstSeen(seen: Seen): Seen {
  let last = 0;
  return seen.filter((change) => {
    const isNew = numberOf(change) > last;
    if (isNew) last = numberOf(change);
    return isNew;
  });
}

const idsIn = (changes: Seen, kind: string) =>
  changes
    .filter(({ attributes }) => attributes.kind === kind)
    .map(({ relationships }) => relationships.match.data.id)
    .sort();

/** The same match with another duration. */
const altered = (line: string): string => {
  const document = JSON.parse(line);
  document.data.attributes.duration += 1;
  return JSON.stringify(document);
};

describe.each(["SQLite", "PostgreSQL"])("with %s", (engine) => {
  test(
    "every consumer sees every change once or more, in order, and nothing else",
    async () => {
      const data = join(folder, engine);
      mkdirSync(data);
      const url = engine === "SQLite" ? undefined : `${cluster.url}?schema=changes_model`;
      const config = shardsFile(join(data, "matchbook.toml"), { [SHARD]: url });
      appendFileSync(config, "\n[tiers.hobby]\nchanges-per-minute = 100000000\n");
      const lines = linesOf(SHARD, Math.ceil(CHANGES * 0.9), Date.now());
      const half = Math.ceil(lines.length / 2);
      const files = {
        first: lines.slice(0, Math.ceil(half * 1.2)),
        second: lines.slice(half),
        replaced: lines.slice(0, Math.ceil(CHANGES * 0.1)).map(altered),
      };
      const path = (name: string) => join(data, `${name}.ndjson`);
      for (const [name, content] of Object.entries(files)) writeLines(path(name), content);

      const { key } = await makeKey({ data }, { rate: 1_000_000 });
      const flags = [
        ...["--log-level", "silent", "--workers", "2", "--drain-ms", "0"],
        ...["--hooks", "private"],
      ];
      const start = async () => {
        const one = await startServerProcess([...flags, "--config", config, "--data", data]);
        started.push(one.child);
        return one;
      };
      let server = await start();
      const service: Service = { url: server.url, key, hasOutage: engine === "PostgreSQL" };

      const others = await Promise.all(
        FEATURES.flatMap(({ consumer }) => (consumer ? [consumer(data)] : [])),
      );
      const isLast = (seen: Seen) => hasAll(service, seen);
      const consumers = {
        ...Object.fromEntries(
          others.map(({ name, follow }) => [name, follow(isLast, TIMEOUT_MS / 1000)]),
        ),
        pages: followPages(service),
        stream: followStream(service),
        "another stream": followStream(service),
      };
      // A consumer that fails is reported below, when it is awaited.
      Promise.all(Object.values(consumers)).catch(() => {});
      const ingest = (name: string, ...more: string[]) => {
        const place = ["--config", config, "--data", data];
        return asProcess(["ingest", path(name), "--batch", "20", ...place, ...more]);
      };
      const restartServer = async () => {
        await server.end("SIGKILL");
        for (const one of others) await one.serverEnded();
        server = await start();
        service.url = server.url;
      };

      const writing = Promise.all([ingest("first"), ingest("second")]);
      await restartServer();
      if (engine === "PostgreSQL") {
        await cluster.stop("immediate");
        await cluster.start();
      }
      for (const { exitCode, stderr } of await writing)
        expect([exitCode, stderr]).toEqual([0, stderr]);
      const replacing = ingest("replaced", "--replace");
      await restartServer();
      expect((await replacing).exitCode).toBe(0);

      const all = await until("the last change", async () => {
        const pages = await readAll(service);
        return idsIn(pages, "replaced").length > 0 ? pages : undefined;
      });
      service.last = all.at(-1)!.id;
      for (const [name, seen] of Object.entries(consumers)) {
        const changes = await seen;
        // What was seen again is what was seen before.
        const known = new Map(all.map((change) => [change.id, change]));
        for (const change of changes) expect([name, change]).toEqual([name, known.get(change.id)!]);
        expect([name, firstSeen(changes).map(({ id }) => id)]).toEqual([
          name,
          all.map(({ id }) => id),
        ]);
      }
      const withheld = (await doneAt(data, ["withheld", SHARD, "--json"]))
        .trim()
        .split("\n")
        .flatMap((line) => (line === "" ? [] : JSON.parse(line).id));
      const served = (await doneAt(data, ["export", SHARD]))
        .trim()
        .split("\n")
        .flatMap((line) => JSON.parse(line).data?.id ?? [])
        .filter((id) => !withheld.includes(id));
      expect(idsIn(all, "added")).toEqual(served.sort());
      const replaced = new Set(files.replaced.map((line) => JSON.parse(line).data.id));
      expect(idsIn(all, "replaced")).toEqual(served.filter((id) => replaced.has(id)));
      expect(await server.end()).toBe(0);
      for (const one of others) one.stop();
    },
    TIMEOUT_MS,
  );
});

/** All changes in the log. */
async function readAll(service: Service): Promise<Seen> {
  const seen: Seen = [];
  for (let after = "oldest"; ; ) {
    const answer = await answerOf(service, { "page[after]": after, "page[limit]": "200" });
    const { data, next } = pageIn(answer!);
    seen.push(...data);
    if (next === after || data.length === 0) return seen;
    after = next;
  }
}
