/** A receiver of webhooks for tests, and a Matchbook whose deliveries the test starts, with its own clock. */

import { createHmac } from "node:crypto";
import type { Json } from "../../src/domain/json.ts";
import { Deliverer } from "../../src/features/webhooks/deliverer.ts";
import { Hooks } from "../../src/features/webhooks/operations.ts";
import { HookStore, type NewHook } from "../../src/features/webhooks/stored.ts";
import type { Event } from "../../src/observe/events.ts";
import { type AccessStore, openAccess, ownServices } from "../../src/open-access.ts";
import { openShards } from "../../src/open-stores.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { aFolder, ingestWith } from "./world.ts";

export interface Received {
  id: string;
  timestamp: string;
  signatures: string[];
  path: string;
  headers: Headers;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape.
  message: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** How it responds to the next requests. */
  respond: (received: Received) => Response | Promise<Response>;
  /** The ids of the matches it was told of with success, in their order. */
  matches(): string[];
  stop(): Promise<void>;
}

const OK = () => new Response("thanks");

export function startReceiver(options: { port?: number; tls?: Bun.TLSOptions } = {}): Receiver {
  const accepted: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    ...(options.tls ? { tls: options.tls } : {}),
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const { headers } = request;
      const one: Received = {
        id: headers.get("webhook-id")!,
        timestamp: headers.get("webhook-timestamp")!,
        signatures: headers.get("webhook-signature")!.split(" "),
        path: new URL(request.url).pathname,
        headers,
        body,
        message: JSON.parse(body),
      };
      receiver.received.push(one);
      const response = await receiver.respond(one);
      if (response.ok && one.message.type !== "test") accepted.push(...matchesOf(one));
      return response;
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/hook`,
    received: [],
    respond: OK,
    matches: () => accepted,
    stop: () => server.stop(true),
  };
  return receiver;
}

export const matchesOf = ({ message }: Received): string[] =>
  message.data.changes.map(
    (change: { relationships: { match: { data: { id: string } } } }) =>
      change.relationships.match.data.id,
  );

/** As the specification describes it, written independently of src/. */
export function signatureOf(secret: string, { id, timestamp, body }: Received): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}

export async function startHookWorld(documents: Json[] = [], flags: Record<string, string> = {}) {
  const folder = aFolder();
  const { values: settings } = loadSettings({
    flags: { data: folder.path, ...flags },
    env: {},
    cwd: folder.path,
  });
  const access = openAccess(settings);
  const events: Event[] = [];
  const shards = openShards(settings, (event) => events.push(event));
  const ingest = (more: Json[], options: Parameters<typeof ingestWith>[3] = {}) =>
    ingestWith(shards, settings, more, options);
  if (documents.length > 0) await ingest(documents);
  const { record: key } = await access.keys.create({ name: "test" }, Date.now());
  const clock = { time: Date.now(), now: () => clock.time };
  const services = ownServices({ ...settings, hooks: "private" }, access, shards);
  const hooks = new Hooks(services.get("webhooks")!);
  const { context } = hooks;
  /** Like another instance. */
  const newDeliverer = (allowPrivate = true) =>
    new Deliverer({ ...context, allowPrivate, clock, observe: (event) => events.push(event) });
  const deliverer = newDeliverer();
  return {
    data: folder.path,
    settings,
    access,
    shards,
    key,
    clock,
    events,
    hooks,
    store: context.store,
    deliverer,
    newDeliverer,
    ingest,
    add: (url: string, wanted: Partial<NewHook> = {}) =>
      hooks.add({ keyId: key.id, url, shards: [], players: [], ...wanted }, clock.now()),
    /** Starts what is due, and waits for it. */
    async deliver(by = deliverer) {
      const isDelivering = await by.turn();
      await by.settled();
      return isDelivering;
    },
    async stop() {
      await deliverer.stop();
      await access.close();
      await shards.close();
      folder.remove();
    },
  };
}

export const hookStore = ({ features }: AccessStore): HookStore =>
  new HookStore(features.get("webhooks")!);

/** Ends the lease of a server that was killed, so that the next one need not wait for it. */
export async function endLease(settings: Parameters<typeof openAccess>[0]): Promise<void> {
  const access = openAccess(settings);
  await hookStore(access).takeLease("nobody", Number.MAX_SAFE_INTEGER, 0);
  await access.close();
}
