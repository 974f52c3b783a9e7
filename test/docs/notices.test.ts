/** Tests NOTICE.md and the software bill of materials against package-lock.json. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/process.ts";

/** Licences of what is shipped. A package with another one needs a decision. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "OFL-1.1",
]);

interface Locked {
  version: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
}

const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
const shipped = Object.entries(lock.packages as Record<string, Locked>)
  .filter(([path, { dev, devOptional }]) => path !== "" && !dev && !devOptional)
  .map(([path, { version, license }]) => ({
    name: path.slice("node_modules/".length),
    version,
    license,
  }));

/** Bun for each platform. */
const isPlatform = (name: string) => name.startsWith("@oven/bun-");

test("every package that is shipped has a licence that allows it", () => {
  expect(shipped.filter(({ license }) => !ALLOWED.has(license ?? ""))).toEqual([]);
});

test("NOTICE.md lists every package that is shipped, with its licence, and no other", () => {
  const page = readFileSync(join(ROOT, "NOTICE.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name, licence]) =>
    [name, licence].join(": "),
  );
  const wanted = shipped.filter(({ name }) => !isPlatform(name));
  expect(rows.sort()).toEqual(wanted.map(({ name, license }) => `${name}: ${license}`).sort());
});

test("the licence texts are where NOTICE.md says", () => {
  // The package of Bun has no text of its own; the page names where it is.
  const texts = shipped.filter(({ name }) => name !== "bun" && !isPlatform(name));
  const missing = texts.filter(
    ({ name }) => !existsSync(join(ROOT, "node_modules", name, "LICENSE")),
  );
  expect(missing).toEqual([]);
});

test("npm run sbom prints a bill of materials with exactly these packages", async () => {
  const child = Bun.spawn(["npm", "run", "--silent", "sbom"], { cwd: ROOT, stderr: "ignore" });
  const bill = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  expect(bill.bomFormat).toBe("CycloneDX");
  const listed = (bill.components as { name: string; version: string }[]).map(
    ({ name, version }) => `${name} ${version}`,
  );
  expect(listed.sort()).toEqual(shipped.map(({ name, version }) => `${name} ${version}`).sort());
});
