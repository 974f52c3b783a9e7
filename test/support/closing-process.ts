/**
 * Closes the Redis limits while Redis does not respond, with a command in flight. It prints the outcome. After that
 * nothing must keep the process alive.
 */

import { RedisClient } from "bun";
import { MemoryLimiter } from "../../src/access/rate-limit.ts";
import { RedisLimiter } from "../../src/access/redis/limits.ts";
import { RedisLink } from "../../src/access/redis/link.ts";

const POLICY = { rate: 1, burst: 5 };
const NEVER_MS = "3600000";

const url = process.argv[2]!;
const events: string[] = [];

/** What a promise resolves to without any I/O; otherwise "later". */
const atOnce = <T>(promise: T | Promise<T>) =>
  Promise.race([promise, new Promise<"later">((resolve) => setImmediate(resolve, "later"))]);

const link = new RedisLink(url, ({ event }) => events.push(event));
await link.open();
const client = new RedisClient(url);
await client.send("CLIENT", ["PAUSE", NEVER_MS, "ALL"]);
client.close();

const limiter = new RedisLimiter(link, new MemoryLimiter());
const pending = limiter.take("k_one", POLICY, 0);
link.close();
const inFlight = await atOnce(pending);
const afterwards = await atOnce(limiter.take("k_one", POLICY, 0));

console.log(JSON.stringify({ inFlight, afterwards, isUp: link.isUp, events }));
