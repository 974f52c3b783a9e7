/** API keys over HTTP: list, create, change and revoke. */

import { describeKey } from "../access/describe-key.ts";
import { looksLikeKey } from "../access/key.ts";
import { AccessError } from "../access/key-database.ts";
import type { KeyRecord } from "../access/key-store.ts";
import { jsonResponse } from "./endpoint.ts";
import { AdminError } from "./errors.ts";
import { readKeyOptions, readNewKeyOptions } from "./key-body.ts";
import { readJson } from "./request.ts";
import type { AdminEndpoint, AdminService } from "./service.ts";

export const listKeys: AdminEndpoint = async (service) => {
  const records = await service.keyStore.list();
  const seen = await lastSeen(service);
  const keys = records.map((one) => described(service, one, seen));
  return jsonResponse(200, { keys });
};

export const createKey: AdminEndpoint = async (service, { request }) => {
  const now = service.clock.now();
  const wanted = readNewKeyOptions(await readJson(request), service.plan.tiers, now);
  const { key, record } = await service.keyStore.create(wanted, now);
  return jsonResponse(201, { key, record: described(service, record, NEVER) });
};

export const changeKey: AdminEndpoint = async (service, { request, id }) => {
  const changes = readKeyOptions(await readJson(request), service.plan.tiers, service.clock.now());
  const record = (await service.keyStore.change(id, changes)) ?? noKey(id);
  return jsonResponse(200, { record: await seenAndDescribed(service, record) });
};

export const revokeKey: AdminEndpoint = async (service, { id }) => {
  if ((await service.keyStore.revoke(id, service.clock.now())) === "unknown") noKey(id);
  const record = (await service.keyStore.find(id))!;
  return jsonResponse(200, { record: await seenAndDescribed(service, record) });
};

async function seenAndDescribed(service: AdminService, record: KeyRecord) {
  return described(service, record, await lastSeen(service));
}

/** When keys were last used, by id. */
type LastSeen = ReadonlyMap<string, number>;
const NEVER: LastSeen = new Map();

/** Undefined while usage cannot be read, which is logged elsewhere: keys can be managed without it. */
async function lastSeen({ usage }: AdminService): Promise<LastSeen | undefined> {
  try {
    return await usage.lastSeen();
  } catch (error) {
    if (error instanceof AccessError) return undefined;
    throw error;
  }
}

/** Without `lastSeen` if that is unknown. */
function described({ plan, clock }: AdminService, record: KeyRecord, seen: LastSeen | undefined) {
  const key = describeKey(record, plan, seen?.get(record.id), clock.now());
  return seen ? key : { ...key, lastSeen: undefined };
}

function noKey(id: string): never {
  // A key or token sent by mistake is not repeated: responses end up in logs. Ids have 12 characters.
  const fault = looksLikeKey(id)
    ? "That is a key, not a key id"
    : `There is no key with the id ${JSON.stringify(id.slice(0, 16))}`;
  throw new AdminError("unknown-key", `${fault}; GET /keys lists the ids.`);
}
