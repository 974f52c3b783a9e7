/** Tests `matchbook hooks`, and deliveries by a server with workers. changes-model.test.ts kills servers. */

import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeAuthority } from "../support/certificates.ts";
import { hasProgram } from "../support/needs.ts";
import { settingsAt } from "../support/places.ts";
import { asProcess, matchbook } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { signatureOf, startReceiver } from "../support/webhooks.ts";
import { startWorkers } from "../support/workers.ts";
import { ingestInto, makeKey } from "../support/world.ts";

const folder = sharedFolder();
const opened: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});

let made = 0;

/** A data folder with a key and a match. */
async function aData() {
  const data = join(folder, `data${made++}`);
  mkdirSync(data);
  const env = { MATCHBOOK_DATA: data, MATCHBOOK_HOOKS: "private" };
  const run = (args: string[], more: Record<string, string> = {}) =>
    matchbook(args, { env: { ...env, ...more } });
  const ingest = (id: string) => ingestInto(settingsAt(data), [aMatch({ id })]);
  await ingest("old");
  const { id: key } = await makeKey({ data });
  const hooks = (...args: string[]) => run(["hooks", ...args]);
  const add = async (url: string, ...args: string[]) => {
    const { exitCode, stdout, stderr } = await hooks("add", "--key", key, "--url", url, ...args);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Added hook")]);
    return stdout.trim();
  };
  return { env, key, run, ingest, hooks, add };
}

const receive = (options: Parameters<typeof startReceiver>[0] = {}) => {
  const receiver = startReceiver(options);
  opened.push(receiver);
  return receiver;
};

describe("the commands", () => {
  test("add prints the id alone, and show --secret the secret alone; nothing else shows it", async () => {
    const { hooks, add, key } = await aData();
    const receiver = receive();
    const wrong = await hooks("add", "--key", key, "--url", receiver.url, "--shards", "eu");
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      expect.stringContaining("there is no shard eu; shards: na"),
    ]);
    const id = await add(receiver.url, "--shards", "na", "--players", "p1,p2");
    expect(id).toMatch(/^h_\w{10}$/);
    const { stdout: secret } = await hooks("show", id, "--secret");
    expect(secret).toMatch(/^whsec_\S{44}\n$/);
    const shown = await hooks("show", id);
    expect(shown.stdout).toMatch(/^state +active$/m);
    expect(shown.stdout).toMatch(/^shard na +delivered up to change 1, nothing sent yet$/m);
    const list = await hooks("list");
    expect(list.stdout).toMatch(new RegExp(`^${id} +${key} +active +na +none yet +http`, "m"));
    const json = await hooks("list", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject([{ id, key, players: ["p1", "p2"] }]);
    expect(JSON.parse((await hooks("show", id, "--json")).stdout)).toMatchObject({ id });
    for (const { stdout, stderr } of [shown, list, json]) {
      expect(stdout + stderr).not.toContain("whsec_");
    }
  });

  test("test, pause, resume, rotate-secret and remove say what they did", async () => {
    const { hooks, add } = await aData();
    const receiver = receive();
    const id = await add(receiver.url);
    const { stdout: secret } = await hooks("show", id, "--secret");
    expect((await hooks("test", id)).stdout).toMatch(/^delivered: HTTP 200, \d+ ms\n$/);
    const [message] = receiver.received;
    expect(message!.signatures).toEqual([signatureOf(secret.trim(), message!)]);
    receiver.respond = () => new Response("", { status: 500 });
    const failed = await hooks("test", id);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining("HTTP 500")]);

    expect((await hooks("pause", id)).stderr).toBe(`Paused ${id}.\n`);
    expect((await hooks("pause", id)).stderr).toBe(`${id} is already paused.\n`);
    expect((await hooks("list")).stdout).toContain("paused (operator)");
    expect((await hooks("resume", id)).stderr).toBe(`Resumed ${id}.\n`);
    expect((await hooks("rotate-secret", id)).stderr).toContain("signs as well until");
    expect((await hooks("show", id, "--secret")).stdout).not.toBe(secret);
    expect((await hooks("remove", id)).stderr).toBe(`Removed ${id}.\n`);
    expect((await hooks("list")).stderr).toContain("No hooks yet");
  });
});

test("a backup has the hooks, and restores them", async () => {
  const { run, add } = await aData();
  const id = await add("http://127.0.0.1:9/");
  const backup = join(folder, "backup");
  expect((await run(["backup", backup])).stdout).toMatch(/^hooks\.sqlite .* 1 hook /m);
  const restored = { MATCHBOOK_DATA: join(folder, "restored") };
  expect((await run(["restore", backup, "hooks.sqlite"], restored)).exitCode).toBe(0);
  expect((await run(["hooks", "list"], restored)).stdout).toContain(id);
});

test.each([
  ["with an admin listener", ["--admin-port", "0"]],
  ["without one", []],
])(
  "with workers, the supervisor delivers (%s), and logs neither URL nor secret",
  async (_, flags) => {
    const { env, ingest, add, hooks } = await aData();
    const receiver = receive();
    const id = await add(`${receiver.url}?token=hidden`);
    receiver.respond = () => new Response("", { status: 410 });
    const token = { MATCHBOOK_ADMIN_TOKEN: "a-token-of-the-tests-0123456789" };
    const args = ["--workers", "2", "--log-level", "debug", ...flags];
    const server = await startWorkers(args, { env: { ...env, ...token } });
    opened.push({ stop: () => server.child.kill("SIGKILL") });
    await ingest("one");
    const [paused] = await server.events("hook-paused");
    expect(paused).toMatchObject({ level: 50, hook: id, shard: "na", reason: "HTTP 410" });
    expect(paused).not.toHaveProperty("worker");
    expect((await hooks("list")).stdout).toContain("paused (failures)");
    await server.end();
    expect(JSON.stringify(server.log)).not.toMatch(/hidden|whsec_/);
    expect(receiver.received).toHaveLength(1);
  },
);

test.skipIf(!hasProgram("openssl"))(
  "over https, the certificate must be for the name (needs openssl)",
  async () => {
    const { env, add } = await aData();
    const authority = makeAuthority(folder, "authority");
    const results: string[] = [];
    for (const name of ["localhost", "other.example"]) {
      const { certificate, key } = authority.sign(`DNS:${name}`);
      const receiver = receive({ tls: { key: Bun.file(key), cert: Bun.file(certificate) } });
      const { port } = new URL(receiver.url);
      const id = await add(`https://localhost:${port}/`);
      // The runtime reads the authorities when a process starts.
      const trusting = { ...env, NODE_EXTRA_CA_CERTS: authority.file };
      const { stdout, stderr } = await asProcess(["hooks", "test", id], { env: trusting });
      results.push(stdout + stderr);
      expect(receiver.received.map(({ headers }) => headers.get("host"))).toEqual(
        name === "localhost" ? [`localhost:${port}`] : [],
      );
      // Without the authority, no certificate is accepted.
      expect((await asProcess(["hooks", "test", id], { env })).exitCode).toBe(1);
    }
    expect(results).toEqual([
      expect.stringMatching(/^delivered: HTTP 200/),
      expect.stringContaining("not match certificate"),
    ]);
  },
);
