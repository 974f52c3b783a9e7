/** Tests `matchbook hooks`, and deliveries by server processes that are killed, replaced and joined by others. */

import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asProcess, matchbook, startServerProcess } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { endLease, signatureOf, startReceiver } from "../support/webhooks.ts";
import { startWorkers } from "../support/workers.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
const opened: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.stop();
});
afterAll(() => folder.remove());

let made = 0;

/** A data folder with a key and a match. */
async function aData() {
  const data = join(folder.path, `data${made++}`);
  mkdirSync(data);
  const run = (args: string[], options: { stdin?: string; env?: Record<string, string> } = {}) =>
    matchbook(args, {
      ...options,
      env: { MATCHBOOK_DATA: data, MATCHBOOK_HOOKS: "private", ...options.env },
    });
  const ingest = async (...ids: string[]) => {
    const lines = ids.map((id) => `${JSON.stringify(aMatch({ id }))}\n`).join("");
    expect((await run(["ingest", "-"], { stdin: lines })).exitCode).toBe(0);
  };
  await ingest("old");
  await run(["keys", "create", "--name", "receiver"]);
  const [{ id: key }] = JSON.parse((await run(["keys", "list", "--json"])).stdout);
  const hooks = (...args: string[]) => run(["hooks", ...args]);
  const add = async (url: string, ...args: string[]) => {
    const { exitCode, stdout, stderr } = await hooks("add", "--key", key, "--url", url, ...args);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("Added hook")]);
    return stdout.trim();
  };
  const env = { MATCHBOOK_DATA: data, MATCHBOOK_HOOKS: "private" };
  return { data, env, key, run, ingest, hooks, add };
}

const receive = (options: Parameters<typeof startReceiver>[0] = {}) => {
  const receiver = startReceiver(options);
  opened.push(receiver);
  return receiver;
};

async function serveIn(env: Record<string, string>) {
  const server = await startServerProcess(["--log-level", "silent"], { env });
  opened.push({ stop: () => server.child.kill("SIGKILL") });
  return server;
}

describe("the commands", () => {
  test("add prints the id alone, and show --secret the secret alone; nothing else shows it", async () => {
    const { hooks, add, key } = await aData();
    const receiver = receive();
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

  test("test, pause, resume, rotate-secret, replay and remove say what they did", async () => {
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
    expect((await hooks("replay", id, "--since", "2001-01-01T00:00:00Z")).exitCode).toBe(0);
    expect((await hooks("show", id)).stdout).toContain("delivered up to change 0");
    expect((await hooks("remove", id)).stderr).toBe(`Removed ${id}.\n`);
    expect((await hooks("list")).stderr).toContain("No hooks yet");
  });

  test("mistakes are explained, with exit code 2 for wrong usage and 1 for the rest", async () => {
    const { hooks, run, key } = await aData();
    const add = ["add", "--key", key, "--url"];
    const cases: [string[], number, string][] = [
      [["add", "--key", key], 2, "--url"],
      [[...add, "ftp://example.com"], 2, "an absolute https URL"],
      [[...add, "http://u:hidden@example.com"], 2, "without user"],
      [[...add, "http://127.0.0.1/", "--shards", "eu"], 1, "there is no shard eu; shards: na"],
      [[...add, "http://127.0.0.1/", "--shards", "EU"], 2, "shard ids"],
      [[...add, "http://127.0.0.1/", "--players", ""], 2, "player ids"],
      [["add", "--key", "k_none", "--url", "http://127.0.0.1/"], 1, "there is no key"],
      [["show", "h_none"], 1, "there is no hook"],
      [["replay", "h_none", "--since", "yesterday"], 2, "time zone"],
    ];
    for (const [args, exitCode, words] of cases) {
      const finished = await hooks(...args);
      expect([finished.exitCode, finished.stderr]).toEqual([
        exitCode,
        expect.stringContaining(words),
      ]);
      expect(finished.stderr).not.toContain("hidden");
    }
    const env = { MATCHBOOK_HOOKS: "on" };
    const refusals: [string, number, string][] = [
      ["https://foo.localhost/", 2, "foo.localhost is not a public address"],
      ["https://example.com:22/", 2, "port 22 is not allowed"],
      ["http://example.com/", 2, "hooks = private"],
    ];
    for (const [url, exitCode, words] of refusals) {
      const refused = await run(["hooks", "add", "--key", key, "--url", url], { env });
      expect([refused.exitCode, refused.stderr]).toEqual([
        exitCode,
        expect.stringContaining(words),
      ]);
    }
  });
});

test("a backup has the hooks, and restores them", async () => {
  const { run, add } = await aData();
  const id = await add("http://127.0.0.1:9/");
  const backup = join(folder.path, "backup");
  expect((await run(["backup", backup])).stdout).toMatch(/^hooks\.sqlite .* 1 hook /m);
  const env = { MATCHBOOK_DATA: join(folder.path, "restored") };
  expect((await run(["restore", backup, "hooks.sqlite"], { env })).exitCode).toBe(0);
  expect((await run(["hooks", "list"], { env })).stdout).toContain(id);
});

test("a server that is killed during deliveries loses nothing, and keeps the order", async () => {
  const { data, env, ingest, add } = await aData();
  const receiver = receive();
  await add(receiver.url);
  const first = await serveIn(env);
  const ids = Array.from({ length: 120 }, (_, at) => `m${at}`);
  // The second batch is in flight when the server dies.
  const hung = Promise.withResolvers<Response>();
  receiver.respond = () => (receiver.received.length < 2 ? new Response() : hung.promise);
  await ingest(...ids);
  await until("the second batch is in flight", () => receiver.received.length === 2);
  first.child.kill("SIGKILL");
  await first.child.exited;
  receiver.respond = () => new Response();
  await ingest("later");
  // The next test waits for it.
  await endLease({ data });
  await serveIn(env);
  await until("everything is delivered", () => receiver.matches().includes("later"));
  hung.resolve(new Response());
  const [, second, again] = receiver.received;
  expect([again!.id, again!.body]).toEqual([second!.id, second!.body]);
  const distinct = [...new Set(receiver.matches())];
  expect(distinct).toHaveLength(121);
  expect(distinct.slice(0, -1).sort()).toEqual([...ids].sort());
  expect(distinct.at(-1)).toBe("later");
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

test.skipIf(Bun.which("openssl") === null)(
  "over https, the certificate must be for the name (needs openssl)",
  async () => {
    const { env, add } = await aData();
    const path = (name: string) => join(folder.path, name);
    const openssl = (...args: string[]) => {
      const { success, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: folder.path });
      if (!success) throw new Error(stderr.toString());
    };
    const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-days",
      "2",
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-subj",
      "/CN=tests",
    );
    for (const name of ["localhost", "other.example"]) {
      writeFileSync(path("ext"), `subjectAltName=DNS:${name}`);
      const request = [...newKey, "-subj", `/CN=${name}`];
      openssl("req", ...request, "-keyout", `${name}.key`, "-out", "csr");
      const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
      openssl("x509", "-req", "-in", "csr", ...by, "-out", `${name}.pem`, "-extfile", "ext");
    }
    const tlsOf = (name: string) => ({
      key: Bun.file(path(`${name}.key`)),
      cert: Bun.file(path(`${name}.pem`)),
    });
    const results: string[] = [];
    for (const name of ["localhost", "other.example"]) {
      const receiver = receive({ tls: tlsOf(name) });
      const { port } = new URL(receiver.url);
      const id = await add(`https://localhost:${port}/`);
      // The runtime reads the authorities when a process starts.
      const trusting = { ...env, NODE_EXTRA_CA_CERTS: path("ca.pem") };
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
