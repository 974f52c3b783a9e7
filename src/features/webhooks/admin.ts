/** Hooks over HTTP: list, add, show, pause, resume, test, replay, rotate the secret, remove. */

import { type AdminRequest, jsonResponse } from "../../admin/endpoint.ts";
import { AdminError } from "../../admin/errors.ts";
import { invalidBody, invalidQuery, readJson, unknownName } from "../../admin/request.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { formatTimestamp } from "../../domain/time.ts";
import { type Parsed, timestamp } from "../../settings/parsers.ts";
import type { Operated } from "../operated.ts";
import { HookError, type Hooks, hooksIn, parseHookPlayers, parseHookShards } from "./operations.ts";
import type { Hook } from "./stored.ts";

type Route = Operated["adminRoutes"][number];

/** Returns the body of the response. */
type Act = (hooks: Hooks, hook: Hook, now: number, body: JsonObject) => Promise<object>;

const route = (
  method: Route["method"],
  path: string,
  respond: (hooks: Hooks, now: number, request: AdminRequest) => Promise<Response>,
  takes: readonly string[] = [],
): Route => ({
  method,
  path,
  takes,
  endpoint: ({ clock, ...services }, request) =>
    asAdminError(respond(hooksIn(services), clock.now(), request)),
});

/** An action on one hook. `members` may be in the body. */
const action = (name: string, act: Act, members: readonly string[] = []): Route =>
  route("POST", `/hooks/{id}/${name}`, async (hooks, now, { request, id }) => {
    const body = await readJson(request);
    const problems = unknownMembers(body, members);
    if (problems.length > 0) throw invalidBody(problems);
    return jsonResponse(200, await act(hooks, await hooks.find(id), now, body));
  });

export const HOOK_ROUTES: readonly Route[] = [
  route("GET", "/hooks", async (hooks, now) =>
    jsonResponse(200, { hooks: await hooks.describe(await hooks.list(), now) }),
  ),
  // The response has the secret, which receivers need.
  route("POST", "/hooks", async (hooks, now, { request }) => {
    const hook = await hooks.add(readNewHook(await readJson(request), hooks), now);
    return jsonResponse(201, { ...(await shown(hooks, hook, now)), secret: hook.secret });
  }),
  route(
    "GET",
    "/hooks/{id}",
    async (hooks, now, { query, id }) => {
      if (query.secret !== undefined && query.secret !== "true") {
        throw invalidQuery(["secret: must be true, or left out"]);
      }
      const hook = await hooks.find(id);
      const secret = query.secret === undefined ? {} : { secret: hook.secret };
      return jsonResponse(200, { ...(await shown(hooks, hook, now)), ...secret });
    },
    ["secret"],
  ),
  action("pause", async (hooks, hook, now) => {
    await hooks.pause(hook, now);
    return shownAgain(hooks, hook, now);
  }),
  action("resume", async (hooks, hook, now) => {
    await hooks.resume(hook);
    return shownAgain(hooks, hook, now);
  }),
  action("test", async (hooks, hook, now) => {
    const { kind, result, milliseconds } = await hooks.test(hook, now);
    return { delivered: kind === "delivered", result, milliseconds };
  }),
  action(
    "replay",
    async (hooks, hook, now, { since: given }) => {
      const since = timestamp(typeof given === "string" ? given : "");
      if ("error" in since) throw invalidBody([`since: ${since.error}`]);
      await hooks.replay(hook, since.value);
      return shownAgain(hooks, hook, now);
    },
    ["since"],
  ),
  action("rotate-secret", async (hooks, hook, now) => {
    const previousUntil = formatTimestamp(await hooks.rotateSecret(hook, now));
    const { secret } = await hooks.find(hook.id);
    return { ...(await shownAgain(hooks, hook, now)), secret, previousUntil };
  }),
  action("remove", async (hooks, hook, now) => {
    const last = await shown(hooks, hook, now);
    await hooks.remove(hook);
    return last;
  }),
];

const shown = async (hooks: Hooks, hook: Hook, now: number): Promise<object> => ({
  hook: (await hooks.describe([hook], now))[0]!,
});

/** After a change. */
const shownAgain = async (hooks: Hooks, { id }: Hook, now: number): Promise<object> =>
  shown(hooks, await hooks.find(id), now);

const MEMBERS = ["key", "url", "shards", "players"];

function readNewHook(body: JsonObject, hooks: Hooks) {
  const problems = unknownMembers(body, MEMBERS);
  const take = <T>(member: string, parsed: Parsed<T>): T | undefined => {
    if ("value" in parsed) return parsed.value;
    problems.push(`${member}: ${parsed.error}`);
    return undefined;
  };
  const { key = null, url = null } = body;
  const keyId = take("key", textOf(key, "must be the id of a key"));
  const text = textOf(url, "must be a string");
  const target = take("url", "error" in text ? text : hooks.parseUrl(text.value));
  const shards = take("shards", listOf(body.shards ?? [], parseHookShards));
  const players = take("players", listOf(body.players ?? [], parseHookPlayers));
  if (problems.length > 0) throw invalidBody(problems);
  return { keyId: keyId!, url: target!, shards: shards!, players: players! };
}

const textOf = (value: Json, error: string): Parsed<string> =>
  typeof value === "string" ? { value } : { error };

function listOf<T>(value: Json, parse: (ids: string[]) => Parsed<T>): Parsed<T> {
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isList ? parse(value as string[]) : { error: "must be an array of ids" };
}

const unknownMembers = (body: JsonObject, known: readonly string[]): string[] =>
  Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => unknownName(name, known));

async function asAdminError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    const { refusal, message } = error;
    if (refusal === "invalid") throw invalidBody([message]);
    throw new AdminError(refusal, `${message[0]!.toUpperCase()}${message.slice(1)}.`);
  }
}
