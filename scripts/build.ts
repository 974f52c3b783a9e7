/** `npm run build`: one executable that needs neither Node nor Bun. */

import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BUILT_PACK } from "../src/http/portal-assets.ts";

const ROOT = resolve(import.meta.dir, "..");
const SOURCE = join(ROOT, "src");

/** Worker files, which are started by name. */
const THREADS = "**/*-worker.ts";

const { values: flags } = parseArgs({
  options: {
    outfile: { type: "string", default: join(ROOT, "dist", "matchbook") },
    // Another platform, e.g. bun-linux-arm64 or bun-linux-x64-musl.
    target: { type: "string" },
  },
});
const outfile = resolve(flags.outfile);

/** All files are in one folder of the executable, so their names must be unique. */
function threads(): string[] {
  const found = [...new Bun.Glob(THREADS).scanSync(SOURCE)].sort();
  const twice = found.find((file) =>
    found.some((other) => other !== file && basename(other) === basename(file)),
  );
  if (twice) {
    throw new Error(`two worker files are named ${basename(twice)}; rename one`);
  }
  return found.map((file) => join(SOURCE, file));
}

/** Builds the portal. Its file extension has no loader, so it is embedded unchanged. */
function portal(): string {
  const built = Bun.spawnSync([process.execPath, join(ROOT, "scripts", "portal.ts"), "--quiet"], {
    stderr: "inherit",
  });
  if (built.exitCode !== 0) throw new Error("building the portal failed");
  return BUILT_PACK;
}

mkdirSync(dirname(outfile), { recursive: true });
// Bun leaves the source maps next to the executable as well as in it. A running executable can be
// replaced, but not overwritten.
const workshop = mkdtempSync(`${outfile}-`);
const fresh = join(workshop, basename(outfile));

const built = await Bun.build({
  entrypoints: [join(SOURCE, "executable.ts"), ...threads(), portal()],
  // Every module then has the URL of the executable, and worker files are found by the same
  // relative path as in the sources.
  naming: { entry: "[name].[ext]", asset: "[name].[ext]" },
  format: "esm",
  // Avoids parsing at each start.
  bytecode: true,
  // Stack traces then refer to source lines.
  sourcemap: "inline",
  compile: {
    outfile: fresh,
    ...(flags.target === undefined ? {} : { target: flags.target as Bun.Build.CompileTarget }),
    // Files in the working directory must have no effect.
    autoloadBunfig: false,
    autoloadDotenv: false,
    autoloadPackageJson: false,
    autoloadTsconfig: false,
  },
});
for (const log of built.logs) console.error(String(log));

chmodSync(fresh, 0o755);
renameSync(fresh, outfile);
rmSync(workshop, { recursive: true });
const mebibytes = Math.round(statSync(outfile).size / 1024 ** 2);
console.log(`${relative(process.cwd(), outfile)}, ${mebibytes} MiB`);
