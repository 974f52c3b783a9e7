/** A small file system of its own, in a mount namespace that a process holds. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/process.ts";
import { until } from "../../support/state.ts";
import type { Scene } from "./scene.ts";

/**
 * Mounts a file system of this size, until the run is over. All processes of the run see it by its path, and read-only by
 * the other; this process sees it from outside.
 */
export async function mountDisk(scene: Scene, kibibytes: number) {
  const [disk, readOnly] = ["disk", "read-only"].map((name) => join(scene.folder.path, name));
  for (const path of [disk!, readOnly!]) mkdirSync(path);
  const script = `mount -t tmpfs -o size=${kibibytes}k tmpfs ${disk} && mount --bind ${disk} ${readOnly} && mount -o remount,bind,ro ${readOnly} && echo mounted && exec cat`;
  const holder = Bun.spawn(["unshare", "-Urm", "sh", "-c", script], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  scene.cleanup(async () => {
    holder.kill();
    await holder.exited;
  });
  let printed = "";
  void (async () => {
    for await (const piece of holder.stdout) printed += Buffer.from(piece).toString();
  })();
  await until("the disk is mounted", async () => {
    if (holder.exitCode !== null) throw new Error(await new Response(holder.stderr).text());
    return printed.includes("mounted");
  });
  const target = ["--target", String(holder.pid), "--user", "--mount", "--preserve-credentials"];
  scene.enter = ["nsenter", ...target, `--wd=${ROOT}`];
  const outside = join(`/proc/${holder.pid}/root`, disk!);
  return { path: disk!, readOnlyPath: readOnly!, outside };
}
