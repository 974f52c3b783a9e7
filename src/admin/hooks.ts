/** Hooks over HTTP: list, add, show, pause, resume, test, replay, rotate the secret, remove. */

import type { Json, JsonObject } from "../domain/json.ts";
import { formatTimestamp } from "../domain/time.ts";
import { parseHookPlayers, parseHookShards } from "../hooks/hook-options.ts";
import type { Hook } from "../hooks/hook-store.ts";
import { HookError, type Hooks } from "../hooks/hooks.ts";
import { type Parsed, timestamp } from "../settings/parsers.ts";
import { type AdminEndpoint, type AdminService, jsonResponse } from "./endpoint.ts";
import { AdminError } from "./errors.ts";
import { invalidBody, invalidQuery, readJson, unknownName } from "./request.ts";

export const listHooks: AdminEndpoint = async ({ hooks, clock }) => {
  return jsonResponse(200, { hooks: await hooks.describe(await hooks.list(), clock.now()) });
};

/** The response has the secret, which receivers need. */
export const addHook: AdminEndpoint = async (service, { request }) => {
  const wanted = readNewHook(await readJson(request), service.hooks);
  const hook = await asAdminError(service.hooks.add(wanted, service.clock.now()));
  return jsonResponse(201, { hook: await described(service, hook), secret: hook.secret });
};

export const showHook: AdminEndpoint = async (service, { query, id }) => {
  if (query.secret !== undefined && query.secret !== "true") {
    throw invalidQuery(["secret: must be true, or left out"]);
  }
  const hook = await found(service, id);
  const secret = query.secret === undefined ? {} : { secret: hook.secret };
  return jsonResponse(200, { hook: await described(service, hook), ...secret });
};

export const pauseHook: AdminEndpoint = async (service, { request, id }) => {
  await readNothing(request);
  await service.hooks.pause(await found(service, id), service.clock.now());
  return shown(service, id);
};

export const resumeHook: AdminEndpoint = async (service, { request, id }) => {
  await readNothing(request);
  await service.hooks.resume(await found(service, id));
  return shown(service, id);
};

export const testHook: AdminEndpoint = async (service, { request, id }) => {
  await readNothing(request);
  const outcome = await service.hooks.test(await found(service, id), service.clock.now());
  const { kind, result, milliseconds } = outcome;
  return jsonResponse(200, { delivered: kind === "delivered", result, milliseconds });
};

export const replayHook: AdminEndpoint = async (service, { request, id }) => {
  const body = await readJson(request);
  const problems = unknownMembers(body, ["since"]);
  const since = timestamp(typeof body.since === "string" ? body.since : "");
  if ("error" in since) throw invalidBody([...problems, `since: ${since.error}`]);
  if (problems.length > 0) throw invalidBody(problems);
  await asAdminError(service.hooks.replay(await found(service, id), since.value));
  return shown(service, id);
};

export const rotateHookSecret: AdminEndpoint = async (service, { request, id }) => {
  await readNothing(request);
  const until = await service.hooks.rotateSecret(await found(service, id), service.clock.now());
  const hook = await found(service, id);
  return jsonResponse(200, {
    hook: await described(service, hook),
    secret: hook.secret,
    previousUntil: formatTimestamp(until),
  });
};

export const removeHook: AdminEndpoint = async (service, { request, id }) => {
  await readNothing(request);
  const hook = await found(service, id);
  const last = await described(service, hook);
  await service.hooks.remove(hook);
  return jsonResponse(200, { hook: last });
};

const found = ({ hooks }: AdminService, id: string): Promise<Hook> => asAdminError(hooks.find(id));

const shown = async (service: AdminService, id: string): Promise<Response> =>
  jsonResponse(200, { hook: await described(service, await found(service, id)) });

async function described({ hooks, clock }: AdminService, hook: Hook): Promise<object> {
  return (await hooks.describe([hook], clock.now()))[0]!;
}

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

async function readNothing(request: Request): Promise<void> {
  const problems = unknownMembers(await readJson(request), []);
  if (problems.length > 0) throw invalidBody(problems);
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
