/**
 * Closes the Redis limits while Redis does not respond, once with a command in flight and once while
 * connecting. It prints the outcome of both. After that nothing must keep the process alive.
 */

import { RedisClient } from "bun";
import { MemoryLimiter } from "../../src/access/rate-limit.ts";
import { RedisLimiter } from "../../src/access/redis/limits.ts";
import { RedisLink } from "../../src/access/redis/link.ts";

const POLICY = { rate: 1, burst: 5 };
const NEVER_MS = "3600000";

const url = process.argv[2]!;
const events: string[] = [];
const aLink = () => new RedisLink(url, ({ event }) => events.push(event));

/** What a promise resolves to without any I/O; otherwise "later". */
const atOnce = <T>(promise: T | Promise<T>) =>
  Promise.race([promise, new Promise<"later">((resolve) => setImmediate(resolve, "later"))]);

const link = aLink();
await link.open();
const client = new RedisClient(url);
await client.send("CLIENT", ["PAUSE", NEVER_MS, "ALL"]);
client.close();

const limiter = new RedisLimiter(link, new MemoryLimiter());
const pending = limiter.take("k_one", POLICY, 0);
link.close();
const inFlight = await atOnce(pending);
const afterwards = await atOnce(limiter.take("k_one", POLICY, 0));

const connecting = aLink();
const opening = connecting.open().then(() => "ended");
connecting.close();

console.log(
  JSON.stringify({
    inFlight,
    afterwards,
    connecting: await atOnce(opening),
    isUp: [link.isUp, connecting.isUp],
    events,
  }),
);
