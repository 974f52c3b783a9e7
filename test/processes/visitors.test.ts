/** Portal visitors across processes: several workers, `matchbook quickstart`, and the usage that operators see. */

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ndjson } from "../support/admin.ts";
import { demoLines } from "../support/demo.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { matchbook, spawnMatchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { requestOnce, startWorkers } from "../support/workers.ts";
import { aFolder, JSON_API } from "../support/world.ts";

// Several processes may share a slow machine.
await awayFromMidnight();

const folder = aFolder();
afterAll(() => folder.remove());
const data = join(folder.path, "data");
await matchbook(["ingest", "-", "--data", data], { stdin: ndjson([aMatch({ id: "match-0" })]) });

const withToken = (token: string) => ({ Authorization: `Bearer ${token}`, Accept: JSON_API });

test("workers accept each other's tokens, count an address together, and its usage as that of visitors", async () => {
  const config = join(folder.path, "matchbook.toml");
  // One token a minute is refilled: none during this test.
  writeFileSync(config, "[tiers.visitor]\nrate = 1\nburst = 30\n");
  const flags = ["--config", config, "--portal-visitors", "on"];
  const server = await startWorkers([
    "--workers",
    "2",
    "--data",
    data,
    "--drain-ms",
    "0",
    ...flags,
  ]);
  const tokens = new Set<string>();
  const issuers = new Set<string | undefined>();
  await until("both workers to give a token", async () => {
    const { process, body } = await requestOnce(server.url, "/portal/visitor-token");
    tokens.add(body.token);
    issuers.add(process);
    return issuers.size === 2;
  });
  const [token] = tokens as unknown as [string];
  const answers = await Promise.all(
    Array.from({ length: 60 }, () =>
      requestOnce(server.url, "/shards/na/matches/match-0", withToken(token)),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  expect(new Set(answers.map(({ process }) => process)).size).toBe(2);
  await server.end();

  const list = await matchbook(["keys", "list", "--json", "--data", data]);
  expect(list.stdout.trim() || "[]").toBe("[]");
  expect(list.stderr).toContain("Portal visitors have sent 60 requests today.");
});

// Without the setting, it is open: the tests of quickstart.
test("quickstart is not open to visitors if a setting says so, also with workers", async () => {
  const demo = join(folder.path, "demo");
  await matchbook(["ingest", "-", "--data", demo], {
    stdin: demoLines(20, Date.now()).join("\n"),
  });
  const tokenStatus = async (...flags: string[]): Promise<number> => {
    const child = spawnMatchbook([
      ...["quickstart", "--port", "0", "--data", demo, "--drain-ms", "0", ...flags],
    ]);
    let said = "";
    (async () => {
      for await (const chunk of child.stdout) said += Buffer.from(chunk).toString();
    })();
    const url = await until(
      "quickstart serves",
      () => {
        if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
        return /listening on (http:\S+)\n/.exec(said)?.[1];
      },
      100,
    );
    const { status } = await fetch(`${url}/portal/visitor-token`);
    child.kill("SIGTERM");
    await child.exited;
    return status;
  };
  expect(await tokenStatus("--portal-visitors", "off")).toBe(404);
  expect(await tokenStatus("--portal-visitors", "off", "--workers", "2")).toBe(404);
});
