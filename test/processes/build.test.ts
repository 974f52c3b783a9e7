/** Tests the executable built by `npm run build`: alone in a folder, it does everything Matchbook does. */

import { beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../package.json";
import { ndjson, TOKEN, uploadTo } from "../support/admin.ts";
import { buildExecutable } from "../support/executable.ts";
import { matchbook, runProgram, spawnMatchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { testLong } from "../support/scale.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { childrenOf } from "../support/workers.ts";
import { JSON_API } from "../support/world.ts";

// The build takes a few seconds, and several processes may share a slow machine.
/** More than is read before threads are started. */
const MATCHES = 400;

const folder = sharedFolder();
const program = join(folder, "matchbook");
const data = join(folder, "data");
/** Neither Node nor Bun is on the PATH, and the folder contains nothing else. */
const alone = { program, cwd: folder, env: { PATH: "/nowhere", HOME: folder } };

beforeAll(async () => {
  // `npm test` has built it already.
  const built = process.env.TEST_EXECUTABLE ?? (await buildExecutable(program));
  expect(readdirSync(dirname(built))).toEqual(["matchbook"]);
  if (built !== program) copyFileSync(built, program);
});

const namesOfThreads = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).map((id) =>
    readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim(),
  );

describe("the executable", () => {
  test("has a version, and the exit codes of bin/matchbook", async () => {
    expect(await matchbook(["--version"], alone)).toEqual({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
    const misused = await matchbook(["serv"], alone);
    expect(misused.exitCode).toBe(2);
    expect(misused.stderr).toContain("did you mean serve?");
  });

  testLong("generates demo records, and ingests them with threads", async () => {
    const demo = await matchbook(["demo", "--matches", String(MATCHES)], alone);
    expect([demo.exitCode, demo.stderr]).toEqual([0, ""]);

    const child = spawnMatchbook(["ingest", "-", "--json", "--data", data], alone);
    child.stdin.write(demo.stdout);
    await child.stdin.flush();
    // On one core, no thread is started.
    if (navigator.hardwareConcurrency > 1) {
      await until("a worker thread runs", async () => namesOfThreads(child.pid).includes("Worker"));
    }
    await child.stdin.end();
    const report = JSON.parse(await new Response(child.stdout).text());
    expect(await child.exited).toBe(0);
    expect(report.rejected).toBe(0);
    expect(report.stored).toBeGreaterThan(MATCHES / 2);
  });

  test("reads descriptors that a shell passes, named pipes and standard input", async () => {
    const record = (id: string) => `printf '%s' '${JSON.stringify(aMatch({ id }))}'`;
    const script = `
      mkfifo named
      (${record("by-name")} > named) &
      ${record("by-input")} | ./matchbook ingest <(${record("by-descriptor")}) named - --json --data pipes
      status=$?
      # It waits for a reader, if there was none.
      kill $! 2> /dev/null
      exit $status`;
    const { exitCode, stdout, stderr } = await runProgram(["/bin/bash", "-c", script], {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", HOME: folder },
    });
    expect([stderr, exitCode]).toEqual(["", 0]);
    expect(JSON.parse(stdout)).toMatchObject({ stored: 3, rejected: 0 });
  });

  test("serves with several workers, stores uploads in a thread, and handles signals", async () => {
    const made = await matchbook(["keys", "create", "--name", "alone", "--data", data], alone);
    expect(made.exitCode).toBe(0);
    const flags = ["--data", data, "--admin-port", "0", "--drain-ms", "0", "--workers", "2"];
    const server = await startServerProcess(flags, {
      ...alone,
      env: { ...alone.env, MATCHBOOK_ADMIN_TOKEN: TOKEN },
    });
    const adminUrl = await server.saying(/^admin listener on (http:\S+)\n/m);
    const headers = { Authorization: `Bearer ${made.stdout.trim()}`, Accept: JSON_API };
    const get = (path: string) => fetch(`${server.url}${path}`, { headers });

    const uploaded = await uploadTo(adminUrl, ndjson([aMatch({ id: "by-hand" })]));
    expect([uploaded.status, uploaded.report.stored]).toEqual([200, 1]);
    const reply = await get("/shards/na/matches/by-hand");
    expect(reply.status).toBe(200);
    expect(((await reply.json()) as { data: { id: string } }).data.id).toBe("by-hand");

    // Loaded only on demand.
    const metrics = await fetch(`${adminUrl}/metrics`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    expect(await metrics.text()).toContain(`version="${version}"`);
    const described = await fetch(`${server.url}/openapi.json`);
    expect(await described.text()).toContain('"example"');

    const page = await (await fetch(`${server.url}/portal/status`)).text();
    const scripts = [...page.matchAll(/src="(\/portal\/assets\/[^"]+)"/g)];
    expect(scripts).toHaveLength(2);
    for (const [, script] of scripts) {
      const loaded = await fetch(`${server.url}${script}`);
      expect([loaded.status, (await loaded.text()).length > 0]).toEqual([200, true]);
    }

    expect(childrenOf(server.child.pid)).toHaveLength(2);
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("has the runtime options of bin/matchbook, unless overridden", async () => {
    const options = async (env: Record<string, string>) => {
      const flags = ["--data", data, "--drain-ms", "0"];
      const server = await startServerProcess(flags, { ...alone, env: { ...alone.env, ...env } });
      const surroundings = readFileSync(`/proc/${server.child.pid}/environ`, "utf8").split("\0");
      expect(await server.end("SIGINT")).toBe(0);
      return surroundings.filter((one) => /^(BUN_JSC|MIMALLOC)_/.test(one)).sort();
    };
    const script = readFileSync(join(import.meta.dir, "..", "..", "bin", "matchbook"), "utf8");
    const theirs = [...script.matchAll(/^export (\w+)="\$\{\1:-(\d+)\}"$/gm)];
    const [first, ...rest] = theirs.map(([, name, value]) => `${name}=${value}`).sort();
    expect(await options({})).toEqual([first!, ...rest]);
    expect(await options({ BUN_JSC_useConcurrentGC: "1" })).toEqual([
      "BUN_JSC_useConcurrentGC=1",
      ...rest,
    ]);
  });
});
