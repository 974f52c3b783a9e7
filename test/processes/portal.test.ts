/** The portal of an installation: built by `npm run portal`, or not yet built. */

import { beforeAll, expect, test } from "bun:test";
import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runProgram, startServerProcess } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";

const folder = sharedFolder();
const installed = join(folder, "matchbook");

/** A clone after `npm ci --ignore-scripts`. */
beforeAll(() => {
  mkdirSync(installed);
  for (const name of ["src", "bin", "scripts", "client", "docs"]) {
    cpSync(join(ROOT, name), join(installed, name), { recursive: true });
  }
  for (const name of ["package.json", "CHANGELOG.md"]) {
    copyFileSync(join(ROOT, name), join(installed, name));
  }
  symlinkSync(join(ROOT, "node_modules"), join(installed, "node_modules"));
});

const started = () =>
  startServerProcess(["--data", join(folder, "data"), "--drain-ms", "0"], {
    program: join(installed, "bin", "matchbook"),
    cwd: folder,
  });

test("if it is not built, the server's log and page show what to run", async () => {
  const server = await started();
  const page = await fetch(`${server.url}/`);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    503,
    "text/html; charset=utf-8",
  ]);
  expect(await page.text()).toContain("npm run portal");
  expect((await fetch(`${server.url}/status`)).status).toBe(200);
  expect(await server.end()).toBe(0);
  expect(await new Response(server.child.stderr).text()).toContain("run 'npm run portal'");
});

test("npm run portal builds it, and prints the size of each file", async () => {
  const command = [process.execPath, "scripts/portal.ts"];
  const { exitCode, stdout, stderr } = await runProgram(command, { cwd: installed });
  expect([stderr, exitCode]).toEqual(["", 0]);
  expect(stdout).toMatch(/KB gzip {2}main-\w+\.js/);
  expect(existsSync(join(installed, "dist", "portal.pack"))).toBe(true);

  const server = await started();
  const page = await fetch(`${server.url}/`);
  expect([page.status, (await page.text()).includes('<div id="portal">')]).toEqual([200, true]);
  expect(await server.end()).toBe(0);
});
