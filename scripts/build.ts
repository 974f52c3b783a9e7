/** In charge of `npm run build`: one executable that runs where there is neither Node nor Bun. */

import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BUILT_PACK } from "../src/http/portal-assets.ts";

const ROOT = resolve(import.meta.dir, "..");
const SOURCE = join(ROOT, "src");

/** Threads are started by the names of their files, which all end like this. */
const THREADS = "**/*-worker.ts";

const { values: flags } = parseArgs({
  options: {
    outfile: { type: "string", default: join(ROOT, "dist", "matchbook") },
    // For another system than this one, for example bun-linux-arm64 or bun-linux-x64-musl.
    target: { type: "string" },
  },
});
const outfile = resolve(flags.outfile);

/** Inside the executable all files lie in one folder, so that no two may have the same name. */
function threads(): string[] {
  const found = [...new Bun.Glob(THREADS).scanSync(SOURCE)].sort();
  const twice = found.find((file) =>
    found.some((other) => other !== file && basename(other) === basename(file)),
  );
  if (twice) {
    throw new Error(`two threads are called ${basename(twice)}: give one of them another name`);
  }
  return found.map((file) => join(SOURCE, file));
}

/** The pages as they are now. No loader knows its ending, so it is put in as it is. */
function portal(): string {
  const built = Bun.spawnSync([process.execPath, join(ROOT, "scripts", "portal.ts"), "--quiet"], {
    stderr: "inherit",
  });
  if (built.exitCode !== 0) throw new Error("the portal could not be built");
  return BUILT_PACK;
}

mkdirSync(dirname(outfile), { recursive: true });
// Bun leaves the source maps beside the executable as well as in it. And one that is running can be
// replaced, but not be written to.
const workshop = mkdtempSync(`${outfile}-`);
const fresh = join(workshop, basename(outfile));

const built = await Bun.build({
  entrypoints: [join(SOURCE, "executable.ts"), ...threads(), portal()],
  // The address of every module is then that of the executable, and a thread beside it is found there
  // by the same words as beside its source file.
  naming: { entry: "[name].[ext]", asset: "[name].[ext]" },
  format: "esm",
  // Parsed now and not at each start.
  bytecode: true,
  // Stacks in the log then name the lines of the sources.
  sourcemap: "inline",
  compile: {
    outfile: fresh,
    ...(flags.target === undefined ? {} : { target: flags.target as Bun.Build.CompileTarget }),
    // It must not matter what lies in the folder it is started in.
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
