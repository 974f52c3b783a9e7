/** The receivers in docs/webhooks.md accept what Matchbook sends, and nothing else. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signedHeaders } from "../../src/features/webhooks/signature.ts";
import type { Hook } from "../../src/features/webhooks/stored.ts";
import { hasProgram, skipWithout } from "../support/needs.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { startHookWorld } from "../support/webhooks.ts";
import { aFolder } from "../support/world.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/webhooks.md"), "utf8");
const programIn = (language: string) =>
  page.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms"))![1]!;

const folder = aFolder();
afterAll(() => folder.remove());

function receiverTests(language: string, command: string[], file: string): void {
  let world: Awaited<ReturnType<typeof startHookWorld>>;
  let hook: Hook;
  let url: string;
  let child: Bun.Subprocess<"ignore", "pipe", "inherit">;
  let output = "";

  beforeAll(async () => {
    writeFileSync(join(folder.path, file), programIn(language));
    world = await startHookWorld([aMatch()]);
    // The port of the receiver is known only once it has the secret.
    const { id, secret } = await world.add("http://127.0.0.1:9/");
    child = Bun.spawn([...command, join(folder.path, file)], {
      env: { PATH: process.env.PATH!, PORT: "0", WEBHOOK_SECRET: secret },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    void (async () => {
      for await (const chunk of child.stdout) output += Buffer.from(chunk).toString();
    })();
    const port = await until(`${file} listens`, () => /port (\d+)/.exec(output)?.[1]);
    url = `http://127.0.0.1:${port}/`;
    hook = { ...(await world.hooks.find(id)), url };
  });
  afterAll(async () => {
    child.kill();
    await world.stop();
  });

  test(`the receiver in ${language} accepts a test message and changes`, async () => {
    expect(await world.hooks.test(hook, Date.now())).toMatchObject({ result: "HTTP 204" });
    const receiving = await world.add(url);
    await world.store.change(receiving.id, (one) => ({ ...one, secret: hook.secret }));
    await world.ingest([aMatch({ id: "new" })]);
    await world.deliver();
    await until("the change is printed", () => /^added new\n/m.test(output));
    const [progress] = (await world.hooks.find(receiving.id)).progress;
    expect(progress).toMatchObject({ lastResult: "HTTP 204", batch: null });
  });

  test.each([
    ["another body", {}, '{"type":"test" }'],
    ["another signature", { "webhook-signature": "v1,AAAA" }, undefined],
    ["no signature", { "webhook-signature": "" }, undefined],
    ["another id", { "webhook-id": "msg_other" }, undefined],
    ["an invalid timestamp", { "webhook-timestamp": "now" }, undefined],
    ["an old timestamp", "old", undefined],
  ])(`the receiver in ${language} rejects %s`, async (_, changed, sent) => {
    const body = '{"type":"test"}';
    const now = changed === "old" ? Date.now() - 3_600_000 : Date.now();
    const signed = signedHeaders([hook.secret], "msg_1", now, body);
    const headers = { ...signed, ...(typeof changed === "string" ? {} : changed) };
    const response = await fetch(url, { method: "POST", headers, body: sent ?? body });
    expect(response.status).toBe(400);
  });
}

receiverTests("ts", [process.execPath], "receiver.ts");
if (hasProgram("python3")) receiverTests("python", ["python3"], "receiver.py");
else skipWithout("python3", () => receiverTests("python", ["python3"], "receiver.py"));

test("the message on the page has the form of a real one", async () => {
  const world = await startHookWorld([aMatch()]);
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      bodies.push(await request.text());
      return new Response();
    },
  });
  await world.add(`http://127.0.0.1:${server.port}/`);
  await world.ingest([aMatch()]);
  await world.deliver();
  await server.stop(true);
  await world.stop();
  expect(shapeOf(JSON.parse(programIn("json")))).toEqual(shapeOf(JSON.parse(bodies[0]!)));
});

/** The names and types of all members, and the first item of each list. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
