/** Runs every scenario of the client: in Bun from its sources, and in Node as built. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import * as client from "../../client/src/index.ts";
import { type Installed, installClient, run } from "./installed.ts";
import { SCENARIOS } from "./scenarios/all.ts";
import { type Stage, startStage } from "./stage.ts";

describe("in Bun", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage.stop());

  test.each(Object.entries(SCENARIOS))("%s", async (_, scenario) => {
    await scenario({ client, facts: stage.facts });
  });
});

describe("in Node", () => {
  let installed: Installed;
  const complaints = new Map<string, string | undefined>();
  beforeAll(async () => {
    installed = await installClient();
    const stage = await startStage();
    try {
      for (const { name, complaint } of await playInNode(installed.folder, stage)) {
        complaints.set(name, complaint);
      }
    } finally {
      await stage.stop();
    }
  });
  afterAll(() => installed.remove());

  test.each(Object.keys(SCENARIOS))("%s", (name) => {
    expect([...complaints.keys()]).toContain(name);
    if (complaints.get(name) !== undefined) throw new Error(complaints.get(name));
  });
});

async function playInNode(
  folder: string,
  { facts }: Stage,
): Promise<{ name: string; complaint?: string }[]> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "scenarios", "node.ts")],
    outdir: folder,
    naming: "scenarios.mjs",
    target: "node",
  });
  expect([success, logs]).toEqual([true, []]);
  const lines = await run(["node", join(folder, "scenarios.mjs"), JSON.stringify(facts)]);
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
