/** The deployment examples: they refer to existing names, and their settings load. */

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROUTES } from "../../src/http/routes.ts";
import { VALUE_NAMES, variableOf } from "../../src/settings/definitions.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { ROOT } from "../support/process.ts";
import { aFolder } from "../support/world.ts";

const DEPLOY = join(ROOT, "deploy");
const files = [...new Bun.Glob("**/*").scanSync({ cwd: DEPLOY, dot: true })].sort();
const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");

const folder = aFolder();
afterAll(() => folder.remove());

function load(text: string) {
  writeFileSync(join(folder.path, "matchbook.toml"), text);
  return loadSettings({ flags: {}, env: {}, cwd: folder.path }).values;
}

test.each(files)("deploy/%s names only variables that exist", (name) => {
  const known = [...VALUE_NAMES.map(variableOf), variableOf("config")];
  const named = [...read(name).matchAll(/MATCHBOOK_[A-Z_]+/g)].map(([variable]) => variable);
  expect(named.filter((variable) => !known.includes(variable))).toEqual([]);
});

test("the settings of the containers load, with a replica for every shard", () => {
  const { shards, "keys-database": keys, redis } = load(read("matchbook.toml"));
  expect(shards.map(({ id, replicas }) => [id, replicas?.places.length])).toEqual([
    ["na", 1],
    ["eu", 1],
  ]);
  expect([keys?.schema, redis]).toEqual(["matchbook_access", "redis://redis:6379"]);
});

test("the settings of docs/scaling.md load", () => {
  const page = readFileSync(join(ROOT, "docs/scaling.md"), "utf8");
  const blocks = [...page.matchAll(/^```toml\n(.*?)^```$/gms)].map((fence) => fence[1]!);
  expect(blocks.length).toBeGreaterThanOrEqual(2);
  for (const block of blocks) expect(() => load(block)).not.toThrow();
});

describe("the image", () => {
  const copied = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, words]) =>
    words!.split(" ").slice(0, -1),
  );

  test("is built from existing files that .dockerignore allows", () => {
    const allowed = [...read("Dockerfile.dockerignore").matchAll(/^!(.+)$/gm)].map(
      (one) => one[1]!,
    );
    expect(copied.sort()).toEqual(allowed.sort());
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test.each(
  files.filter((name) => name.endsWith(".service") && /^ExecStart=.* serve$/m.test(read(name))),
)("deploy/%s restarts until it works, except when the settings are not valid", (name) => {
  const [, unit, service] = read(name).split(/^\[\w+\]$/m);
  // systemd ignores the limit in any other section.
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
  expect(service).toMatch(/^Restart=(always|on-failure)$/m);
  expect(service).toMatch(/^RestartPreventExitStatus=2$/m);
});

test("the proxy limits exactly the endpoints that Matchbook does not", () => {
  const [, listed] = /acl is_open .* -m str (.+)$/m.exec(read("haproxy.cfg"))!;
  const open = ROUTES.filter(({ access }) => access !== "key").map(({ path }) => path);
  expect(listed!.split(" ").sort()).toEqual(open.sort());
});

test("the pooler has the planner settings of docs/scaling.md, for the primary and the replica", () => {
  const page = readFileSync(join(ROOT, "docs/scaling.md"), "utf8");
  const settings = [...page.matchAll(/^ALTER ROLE matchbook SET (.+);$/gm)].map((one) => one[1]!);
  const queries = [...read("pgbouncer.ini").matchAll(/connect_query='([^']*)'/g)];
  const expected = settings.map((setting) => `SET ${setting}`).join("; ");
  expect(settings.length).toBeGreaterThan(5);
  expect(queries.map((one) => one[1]!)).toEqual([expected, expected]);
});
