/**
 * The Lua scripts that Redis runs atomically. They follow the rules of rate-limit.ts and quota.ts
 * and need Redis 6.2 or later.
 */

import { DROPS } from "../rate-limit.ts";

export interface Script {
  text: string;
  /** SHA-1, by which Redis identifies a loaded script. */
  hash: string;
}

const script = (text: string): Script => ({
  text,
  hash: Bun.CryptoHasher.hash("sha1", text, "hex"),
});

/** Redis's clock, in milliseconds, which all instances share. */
const REDIS_CLOCK = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * KEYS: the bucket. ARGV: rate, burst. Returns whether a token was taken, and the drops left. The
 * bucket is stored as "drops at" until it would be full. `clock` sets `now`.
 */
export const takeScript = (clock: string): Script =>
  script(`${clock}
local rate = tonumber(ARGV[1])
local full = tonumber(ARGV[2]) * ${DROPS}
local drops, at = full, now
local kept = redis.call("GET", KEYS[1])
if kept then
  local before, moment = string.match(kept, "^(%d+) (%d+)$")
  drops = math.min(full, before + math.max(0, now - moment) * rate)
  at = math.max(now, tonumber(moment))
end
local allowed = 0
if drops >= ${DROPS} then
  allowed = 1
  drops = drops - ${DROPS}
end
local lasts = math.max(1, math.ceil((full - drops) / rate) + at - now)
redis.call("SET", KEYS[1], string.format("%.0f %.0f", drops, at), "PX", string.format("%.0f", lasts))
return {allowed, drops}`);

export const TAKE = takeScript(REDIS_CLOCK);

/**
 * KEYS: the set of matches. ARGV: the quota, how long to keep the day in milliseconds, the matches.
 * Returns 1 if they may be served, 0 if they exceed the quota.
 */
export const CONSUME = script(`
local added = {}
for index = 3, #ARGV do
  if redis.call("SISMEMBER", KEYS[1], ARGV[index]) == 0 then added[#added + 1] = ARGV[index] end
end
if #added == 0 then return 1 end
if redis.call("SCARD", KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call("SADD", KEYS[1], unpack(added))
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return 1`);

/** KEYS: the set of matches. */
export const COUNT = script(`return redis.call("SCARD", KEYS[1])`);

export const SCRIPTS: readonly Script[] = [TAKE, CONSUME, COUNT];
