/** In charge of the portal for tests: what is tested is what the sources are now. */

import { ROOT } from "./process.ts";

let isBuilt = false;

export function buildPortal(): void {
  if (isBuilt) return;
  const built = Bun.spawnSync([process.execPath, "scripts/portal.ts", "--quiet"], { cwd: ROOT });
  if (built.exitCode !== 0) throw new Error(`the portal cannot be built: ${built.stderr}`);
  isBuilt = true;
}
