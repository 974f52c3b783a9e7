/**
 * The Lua scripts that Redis runs atomically. They follow the rules of rate-limit.ts and quota.ts
 * and need Redis 6.2 or later.
 */

import { COUNTED_EXACTLY } from "../distinct-count.ts";
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
 * KEYS: the set of hashes, the sketch, the exceeded quota. ARGV: the quota, how long to keep the
 * day in milliseconds, the hashes. Returns 1 if they were counted, 0 if they exceed the quota.
 */
export const CONSUME = script(`
local exact, sketch, exceeded = KEYS[1], KEYS[2], KEYS[3]
local most, lasts = tonumber(ARGV[1]), ARGV[2]

local function refuse()
  local before = redis.call("GET", exceeded)
  if not before or tonumber(before) < most then redis.call("SET", exceeded, ARGV[1], "PX", lasts) end
  return 0
end

if redis.call("EXISTS", sketch) == 1 then
  local before = redis.call("GET", sketch)
  if redis.call("PFADD", sketch, unpack(ARGV, 3)) == 0 then return 1 end
  if redis.call("PFCOUNT", sketch) <= most then return 1 end
  redis.call("SET", sketch, before, "KEEPTTL")
  return refuse()
end

local fresh, seen = {}, {}
for index = 3, #ARGV do
  local hash = ARGV[index]
  if not seen[hash] and redis.call("SISMEMBER", exact, hash) == 0 then
    seen[hash] = true
    fresh[#fresh + 1] = hash
  end
end
local count = redis.call("SCARD", exact) + #fresh
if count > most then return refuse() end
if #fresh == 0 then return 1 end
if count <= ${COUNTED_EXACTLY} then
  redis.call("SADD", exact, unpack(fresh))
  redis.call("PEXPIRE", exact, lasts)
  return 1
end

local kept = redis.call("SMEMBERS", exact)
for index = 1, #kept do redis.call("PFADD", sketch, kept[index]) end
redis.call("PFADD", sketch, unpack(fresh))
if redis.call("PFCOUNT", sketch) > most then
  redis.call("DEL", sketch)
  return refuse()
end
redis.call("PEXPIRE", sketch, lasts)
redis.call("DEL", exact)
return 1`);

/** KEYS: the exceeded quota. ARGV: the quota now. Returns 1 if that is no higher. */
export const IS_EXCEEDED = script(`
local exceeded = redis.call("GET", KEYS[1])
if exceeded and tonumber(ARGV[1]) <= tonumber(exceeded) then return 1 end
return 0`);

/** KEYS: the set of hashes, the sketch. */
export const COUNT = script(`
if redis.call("EXISTS", KEYS[2]) == 1 then return redis.call("PFCOUNT", KEYS[2]) end
return redis.call("SCARD", KEYS[1])`);

export const SCRIPTS: readonly Script[] = [TAKE, CONSUME, IS_EXCEEDED, COUNT];
