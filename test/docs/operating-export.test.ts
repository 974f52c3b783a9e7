/** docs/operating.md: its example of an export works as written. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "../support/places.ts";
import { matchbook, ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const folder = aFolder();
afterAll(() => folder.remove());

test("the export of the page gives the same digest in another data folder", async () => {
  const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");
  const [, script] = /^```sh\n(matchbook export .*?)^```$/ms.exec(page)!;
  const data = join(folder.path, "data");
  const stdin = linesOf("na", 20, Date.now()).join("\n");
  expect((await matchbook(["ingest", "-", "--data", data], { stdin })).exitCode).toBe(0);
  mkdirSync(join(folder.path, "backups"));
  const child = Bun.spawn(
    [
      "bash",
      "-euc",
      script!
        .replaceAll("/var/backups/matchbook", join(folder.path, "backups"))
        .replaceAll("/tmp/copy", join(folder.path, "copy")),
    ],
    {
      env: { ...process.env, MATCHBOOK_DATA: data, PATH: `${ROOT}/bin:${process.env.PATH}` },
      cwd: folder.path,
    },
  );
  const printed = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  const digests = [...printed.matchAll(/^digest +([0-9a-f]{64})$/gm)].map((one) => one[1]);
  expect(digests).toHaveLength(2);
  expect(digests[0]).toBe(digests[1]!);
}, 60_000);
