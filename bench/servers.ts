/** Starts the servers under test, as users would. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConstantReply } from "./ceiling.ts";
import { type Data, filesIn, hashOf, MATCHBOOK, SHARD } from "./data.ts";
import { onServerCore } from "./machine.ts";
import { BenchError, progress, run, type Server, startServer } from "./processes.ts";
import type { Reply } from "./requests.ts";

const CEILING = join(import.meta.dir, "ceiling.ts");
const CONVENTIONAL = join(import.meta.dir, "conventional");

/** As in bin/matchbook: they help other servers too. */
const RUNTIME_OPTIONS = { BUN_JSC_useConcurrentGC: "0", MIMALLOC_PURGE_DELAY: "1000" };

/** Only with flags that all versions have. */
export function startMatchbook(
  data: string,
  { scratch, serve }: { scratch: string; serve: readonly string[] },
  name = "Matchbook",
  program = MATCHBOOK,
): Promise<Server> {
  const command = [program, "serve", "--data", data, "--port", "0", ...serve];
  return startServer(name, onServerCore(command), join(scratch, `${name}.log`));
}

/** A server with one constant response, with the headers that callers need to read it. */
export function startCeiling(reply: Reply, scratch: string): Promise<Server> {
  const file = join(scratch, "ceiling.json");
  const names = reply.status === 304 ? ["etag"] : ["content-type", "content-encoding"];
  const headers = names.flatMap((name) => {
    const value = reply.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const constant: ConstantReply = {
    status: reply.status,
    headers: Object.fromEntries(headers),
    body: Buffer.from(reply.body).toString("base64"),
  };
  writeFileSync(file, JSON.stringify(constant));
  const command = onServerCore([process.execPath, CEILING, file]);
  return startServer("the ceiling", command, join(scratch, "ceiling.log"), RUNTIME_OPTIONS);
}

export async function startConventional(
  data: Data,
  matchbook: Server,
  scratch: string,
): Promise<Server> {
  const node = Bun.which("node");
  if (!node || !existsSync(join(CONVENTIONAL, "node_modules"))) {
    throw new BenchError(
      "The conventional server needs Node.js and its packages. Run 'npm ci' in bench/conventional, or run with --without-conventional.",
    );
  }
  const database = await loadConventional(node, data, matchbook);
  const command = [node, join(CONVENTIONAL, "server.js"), "--db", database, "--port", "0"];
  const log = join(scratch, "conventional.log");
  const env = { NODE_ENV: "production" };
  return startServer("the conventional server", onServerCore(command), log, env);
}

/** Loads the records that Matchbook serves into the conventional server's file, unless it is current. */
async function loadConventional(node: string, data: Data, matchbook: Server): Promise<string> {
  const database = join(data.folder, "conventional.sqlite");
  const mark = join(data.folder, "conventional.txt");
  const sources = hashOf(filesIn(CONVENTIONAL));
  if (existsSync(mark) && readFileSync(mark, "utf8") === sources) return database;
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${database}${suffix}`, { force: true });
  progress("loading the same matches into the conventional server's file …");
  const command = [node, join(CONVENTIONAL, "load.js"), database];
  const { seconds } = await run([...command, `${matchbook.url}/shards/${SHARD}`], {
    env: { PEER_KEY: data.key, NODE_ENV: "production" },
  });
  progress(`  took ${seconds.toFixed(1)} s`);
  writeFileSync(mark, sources);
  return database;
}
