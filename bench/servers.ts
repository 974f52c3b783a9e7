/** Starts the servers under test, as users would. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "./asking.ts";
import type { ConstantReply } from "./ceiling.ts";
import { run, type Server, startServer } from "./children.ts";
import { onServerCore } from "./cores.ts";
import { type Data, demoLines } from "./data.ts";
import { BenchError, progress } from "./failure.ts";
import { CEILING, CONVENTIONAL, MATCHBOOK, type Places } from "./places.ts";

/** As in bin/matchbook: they help other servers too. */
export const RUNTIME_OPTIONS = { BUN_JSC_useConcurrentGC: "0", MIMALLOC_PURGE_DELAY: "1000" };

/** The headers that callers need to read a constant response. */
const CEILING_HEADERS = ["content-type", "content-encoding"];

/** Numbers the logs: several servers may run at once. */
let started = 0;

export function startMatchbook(data: string, places: Places, ...flags: string[]): Promise<Server> {
  const usual = ["--data", data, "--port", "0", "--drain-ms", "0"];
  const command = [MATCHBOOK, "serve", ...usual, ...flags];
  const log = join(places.scratch, `matchbook-${++started}.log`);
  return startServer("Matchbook", onServerCore(command), log);
}

/** A server with one constant response. */
export function startCeiling(reply: Reply, places: Places): Promise<Server> {
  const file = join(places.scratch, "ceiling.json");
  const names = reply.status === 304 ? ["etag"] : CEILING_HEADERS;
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
  const command = [process.execPath, CEILING, file];
  const log = join(places.scratch, "ceiling.log");
  return startServer("the ceiling", onServerCore(command), log, RUNTIME_OPTIONS);
}

export async function startConventional(data: Data, places: Places): Promise<Server> {
  const database = await loadConventional(data);
  const command = [nodePath(), join(CONVENTIONAL, "server.js"), "--db", database, "--port", "0"];
  return startServer(
    "the conventional server",
    onServerCore(command),
    join(places.scratch, "conventional.log"),
    { NODE_ENV: "production" },
  );
}

/** Loads the same records into the conventional server's file, unless it is current. */
async function loadConventional(data: Data): Promise<string> {
  const database = join(data.folder, "conventional.db");
  const mark = join(data.folder, "conventional.json");
  const wanted = JSON.stringify({ until: data.until, sources: conventionalSources() });
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return database;
  for (const suffix of ["", "-wal", "-shm"]) {
    await Bun.file(`${database}${suffix}`)
      .delete()
      .catch(() => {});
  }
  progress(`loading ${data.matches} matches into the conventional server's file …`);
  const { seconds } = await run([nodePath(), join(CONVENTIONAL, "load.js"), database], {
    stdin: demoLines({ matches: data.matches, until: data.until, seed: 1 }),
    env: { PEER_KEY: data.key, NODE_ENV: "production" },
  });
  progress(`  took ${seconds.toFixed(1)} s`);
  writeFileSync(mark, wanted);
  return database;
}

/** Changes with its code. */
function conventionalSources(): string {
  if (!existsSync(join(CONVENTIONAL, "server.js"))) {
    throw new BenchError("bench/conventional does not exist. Run with --without-conventional.");
  }
  if (!existsSync(join(CONVENTIONAL, "node_modules"))) {
    throw new BenchError(
      "The conventional server's packages are not installed. Run 'npm ci' in bench/conventional, or run with --without-conventional.",
    );
  }
  const files = readdirSync(CONVENTIONAL, { recursive: true, encoding: "utf8" })
    .filter((file) => !file.includes("node_modules") && /\.(c|m)?js$/.test(file))
    .sort();
  const text = files.map((file) => readFileSync(join(CONVENTIONAL, file), "utf8")).join("\0");
  return Bun.hash.wyhash(text).toString(36);
}

function nodePath(): string {
  const node = Bun.which("node");
  if (node) return node;
  throw new BenchError("The conventional server needs Node.js, which is not on the PATH.");
}
