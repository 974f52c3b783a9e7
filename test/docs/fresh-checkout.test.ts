/** Tests what is installed and run in a fresh checkout: by CI as in the README, and without questions of npm. */

import { expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The lines of a shell script without comments. */
const commandsIn = (script: string) =>
  script
    .split("\n")
    .map((line) => line.replace(/(^| +)#.*/, "").trim())
    .filter((line) => line !== "");

const [start, run] = commandsIn(/\n## Run it\n.*?```sh\n(.*?)```/s.exec(textOf("README.md"))![1]!);

test("CI runs the README's test command as it is before it installs any other package, then the README's start command and the long tests", () => {
  expect([start, run]).toEqual([
    expect.stringMatching(/ npm start$/),
    expect.stringMatching(/ npm test$/),
  ]);
  const commands = commandsIn(textOf(".ci/run"));
  // Such as fewer cases than others have.
  expect(commands.filter((line) => /TEST_|\bexport\b/.test(line))).toEqual([]);
  expect(commands.filter((line) => /\bnpm\b|\bscripts\//.test(line))).toEqual([
    run!,
    expect.stringMatching(/^scripts\/try-start /),
    expect.stringMatching(/^npm run test:long /),
    expect.stringMatching(/^npm run test:interop /),
  ]);
  expect(commandsIn(textOf("scripts/try-start"))).toContain(start!);
});

/** npm warns about install scripts of packages that `allowScripts` does not name, also on other platforms than this. */
test.each(["package.json", "test/interop/package.json"])(
  "%s allows or denies the install script of every package that has one",
  (path) => {
    const { allowScripts } = JSON.parse(textOf(path));
    const lock = JSON.parse(textOf(join(dirname(path), "package-lock.json")));
    const withScript = Object.entries<{ hasInstallScript?: boolean }>(lock.packages)
      .filter(([folder, { hasInstallScript }]) => folder !== "" && hasInstallScript)
      .map(([folder]) =>
        folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length),
      );
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
  },
);

test("npm test ends with what is missing, and how many tests are skipped because of it", async () => {
  using folder = aFolder();
  symlinkSync(Bun.which("sh")!, join(folder.path, "sh"));
  // Some more tests: of a longer run, Bun prints the skipped ones twice.
  const names = ["unit/portal-samples", "unit/settings-values", "processes/redis-tls"];
  const files = names.map((name) => `./test/${name}.test.ts`);
  // It would start a PostgreSQL, which these do not use.
  const env = { ...process.env, PATH: folder.path, TEST_POSTGRES: "unused" };
  const command = [process.execPath, "scripts/test.ts", ...files];
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: "ignore", stderr: "pipe" });
  const printed = await new Response(child.stderr).text();
  expect(await child.exited).toBe(0);
  expect(printed.match(/^\d+ skipped: .+$/gm)?.sort()).toEqual([
    "1 skipped: needs python3",
    "3 skipped: needs redis-server",
  ]);
  // A whole run of `npm test`, with few files.
}, 300_000);
