/** A few fault runs, and that a run notices what is lost, altered or invented. `npm run trial -- faults` has all kinds. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { writeLines } from "../../support/demo.ts";
import { canMount, skipWithout } from "../../support/needs.ts";
import { begin, type FaultKind } from "./kind.ts";
import { KINDS } from "./kinds.ts";
import { runOnce } from "./one-run.ts";

// Several processes may share a slow machine.
setDefaultTimeout(600_000);

/** The other kinds are in faults.long.test.ts. */
const SEED = 1;
const MATCHES = 60;

/** A run that hits, loses nothing and serves nothing wrong. */
async function rightRun(name: string) {
  const kind = KINDS.find((one) => one.name === name)!;
  const result = await runOnce(kind, SEED, MATCHES);
  const { problems, lost, wrong, acknowledged, hasHit } = result;
  expect({ problems, lost, wrong, acknowledged, hasHit }).toEqual({
    ...{ problems: [], lost: 0, wrong: 0, acknowledged: MATCHES, hasHit: true },
  });
  return result;
}

test.each(["kill-server", "kill-ingest"])(
  "a fault run of the kind %s hits while records are sent, loses nothing and serves nothing wrong",
  async (name) => {
    const { openAtHit, responses } = await rightRun(name);
    // Some of the records were still to be stored.
    expect(openAtHit).toBeGreaterThanOrEqual(MATCHES / 6);
    expect(responses).toBeGreaterThan(0);
  },
);

/** Mounts are allowed in user namespaces. */
const onSmallDisk = () => {
  test.each(["read-only-folder", "full-disk"])(
    "a fault run of the kind %s loses nothing and serves nothing wrong",
    async (name) => void (await rightRun(name)),
  );
};
if (canMount()) onSmallDisk();
else skipWithout("user namespaces (unshare)", onSmallDisk);

test("a run fails when a record is lost, altered or invented", async () => {
  const broken: FaultKind["run"] = async (scene) => {
    await begin(scene, { server: { workers: 1 } });
    const [first, second, third, ...rest] = scene.ledger.open;
    scene.ledger.acknowledge([third!]);
    scene.ledger.attempt([first!]);
    const altered = JSON.parse(first!);
    altered.data.attributes.duration += 1;
    const invented = second!.replaceAll(JSON.parse(second!).data.id, "invented");
    await scene.send(rest, "upload");
    const file = join(scene.folder.path, "other.ndjson");
    writeLines(file, [JSON.stringify(altered), invented]);
    await scene.command(["ingest", file]);
  };
  const kind = { name: "broken", what: "", run: broken };
  const { lost, wrong, problems } = await runOnce(kind, SEED, MATCHES);
  expect(lost).toBeGreaterThan(0);
  expect(problems).toContainEqual(expect.stringMatching(/^lost: .+acknowledged, but not stored/));
  expect(wrong).toBeGreaterThan(1);
  expect(problems).toContainEqual(expect.stringMatching(/^wrong: \S+\/matches\/\S+: data$/));
  expect(problems).toContainEqual(expect.stringContaining("invented: stored, but never sent"));
});
