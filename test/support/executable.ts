/** The executable that tests start processes with. */

import { join } from "node:path";
import { ROOT } from "./process.ts";

/** Builds it from the current sources: it starts twice as fast as they do, which is most of what a process takes. */
export async function buildExecutable(outfile = join(ROOT, "dist", "test", "matchbook")) {
  const build = Bun.spawn([process.execPath, "scripts/build.ts", "--outfile", outfile], {
    cwd: ROOT,
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(build.stderr).text();
  if ((await build.exited) !== 0 || said !== "") throw new Error(`the build failed: ${said}`);
  return outfile;
}
