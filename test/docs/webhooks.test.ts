/** docs/changes.md: its receiver of webhooks accepts what Matchbook sends, and nothing else. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { signedHeaders } from "../../src/features/webhooks/signature.ts";
import type { Hook } from "../../src/features/webhooks/stored.ts";
import { aMatch } from "../support/records.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { startHookWorld, startReceiver } from "../support/webhooks.ts";
import { blocks, page } from "./markdown.ts";

const [, receiverProgram] = blocks(page("docs/changes.md"), "js");
const folder = sharedFolder();

function receiverTests(runtime: string, command: string): void {
  let world: Awaited<ReturnType<typeof startHookWorld>>;
  let hook: Hook;
  let url: string;
  let child: Bun.Subprocess<"ignore", "pipe", "inherit">;
  let output = "";
  const program = join(folder, "receiver.mjs");

  beforeAll(async () => {
    writeFileSync(program, receiverProgram!);
    world = await startHookWorld([aMatch()]);
    // The port of the receiver is known only once it has the secret.
    const { id, secret } = await world.add("http://127.0.0.1:9/");
    child = Bun.spawn([command, program], {
      env: { PATH: process.env.PATH!, PORT: "0", WEBHOOK_SECRET: secret },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    void (async () => {
      for await (const chunk of child.stdout) output += Buffer.from(chunk).toString();
    })();
    const port = await until("the receiver listens", () => /port (\d+)/.exec(output)?.[1]);
    url = `http://127.0.0.1:${port}/`;
    hook = { ...(await world.hooks.find(id)), url };
  });
  afterAll(async () => {
    child.kill();
    await world.stop();
  });

  test(`the receiver in ${runtime} accepts a test message and changes`, async () => {
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
    ["another version", "v2", undefined],
  ])(`the receiver in ${runtime} rejects %s`, async (_, changed, sent) => {
    const body = '{"type":"test"}';
    const now = changed === "old" ? Date.now() - 3_600_000 : Date.now();
    const headers = signedHeaders([hook.secret], "msg_1", now, body);
    if (changed === "v2") {
      headers["webhook-signature"] = headers["webhook-signature"]!.replace(/^v1,/, "v2,");
    } else if (typeof changed !== "string") Object.assign(headers, changed);
    const response = await fetch(url, { method: "POST", headers, body: sent ?? body });
    expect(response.status).toBe(400);
  });
}

receiverTests("Bun", process.execPath);
receiverTests("Node", "node");

test("the message on the page has the form of a real one", async () => {
  const world = await startHookWorld([aMatch()]);
  const receiver = startReceiver();
  await world.add(receiver.url);
  await world.ingest([aMatch()]);
  await world.deliver();
  await receiver.stop();
  await world.stop();
  expect(shapeOf(JSON.parse(blocks(page("docs/changes.md"), "json")[0]!))).toEqual(
    shapeOf(receiver.received[0]!.message),
  );
});

/** The names and types of all members, and the first item of each list. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
