/** API keys over HTTP: list, create, show, change, rotate, revoke, and usage. */

import { describeKey } from "../access/describe-key.ts";
import { looksLikeKey } from "../access/key.ts";
import { AccessError } from "../access/key-database.ts";
import { endOfPrevious, type KeyRecord } from "../access/key-store.ts";
import { matchesLeft } from "../access/quota.ts";
import { dayOf, secondsToNextDay, writtenDay } from "../access/usage.ts";
import { KEPT_DAYS } from "../access/usage-store.ts";
import { VISITORS } from "../access/visitors.ts";
import { effectiveLimits } from "../domain/limits.ts";
import { formatTimestamp } from "../domain/time.ts";
import { describeDay } from "../http/usage.ts";
import { wholeNumber } from "../settings/parsers.ts";
import { jsonResponse } from "./endpoint.ts";
import { AdminError } from "./errors.ts";
import { readKeyOptions, readNewKeyOptions, readOverlap } from "./key-body.ts";
import { invalidQuery, readJson } from "./request.ts";
import type { AdminEndpoint, AdminService } from "./service.ts";

const DEFAULT_DAYS = "30";

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
  await service.onKeysChanged();
  return jsonResponse(201, { key, record: described(service, record, NEVER) });
};

export const showKey: AdminEndpoint = async (service, { id }) => {
  const record = (await service.keyStore.find(id)) ?? noKey(id);
  return jsonResponse(200, { record: await seenAndDescribed(service, record) });
};

export const changeKey: AdminEndpoint = async (service, { request, id }) => {
  const changes = readKeyOptions(await readJson(request), service.plan.tiers, service.clock.now());
  const record = (await service.keyStore.change(id, changes)) ?? noKey(id);
  await service.onKeysChanged();
  return jsonResponse(200, { record: await seenAndDescribed(service, record) });
};

export const rotateKey: AdminEndpoint = async (service, { request, id }) => {
  const overlapMs = readOverlap(await readJson(request));
  // Read first: an error after the rotation would lose the new secret.
  const seen = await lastSeen(service);
  const outcome = await service.keyStore.rotate(id, overlapMs, service.clock.now());
  if (outcome === "unknown") noKey(id);
  if (outcome === "ended") {
    throw new AdminError(
      "key-ended",
      `The key ${id} is revoked or expired; only a live key can be rotated. Extend an expired key with PATCH /keys/${id}, or create a new one with POST /keys.`,
    );
  }
  await service.onKeysChanged();
  const { key, record } = outcome;
  return jsonResponse(200, {
    key,
    previousUntil: formatTimestamp(endOfPrevious(record)),
    record: described(service, record, seen),
  });
};

export const revokeKey: AdminEndpoint = async (service, { id }) => {
  if ((await service.keyStore.revoke(id, service.clock.now())) === "unknown") noKey(id);
  const record = (await service.keyStore.find(id))!;
  await service.onKeysChanged();
  return jsonResponse(200, { record: await seenAndDescribed(service, record) });
};

export const showUsage: AdminEndpoint = async (service, { query, id }) => {
  const days = wholeNumber(1, KEPT_DAYS)(query.days ?? DEFAULT_DAYS);
  if ("error" in days) throw invalidQuery([`days: ${days.error}`]);
  const now = service.clock.now();
  const today = dayOf(now);
  if (id === VISITORS.id) {
    // Their quotas are those of addresses.
    const used = await service.usage.daysOf(id, today - days.value + 1);
    return jsonResponse(200, { key: VISITORS, days: used.map(describeDay) });
  }
  const record = (await service.keyStore.find(id)) ?? noKey(id);
  const matches = await service.quotas.count(id, now);
  const used = await service.usage.daysOf(id, today - days.value + 1);
  const { matchesPerDay: most } = effectiveLimits(service.plan, record.tier, record);
  return jsonResponse(200, {
    key: { id, name: record.name },
    today: {
      day: writtenDay(today),
      matches,
      matchesLeft: matchesLeft(most, matches),
      resetSeconds: secondsToNextDay(now),
    },
    days: used.map(describeDay),
  });
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
