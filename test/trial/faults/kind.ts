/** A kind of fault. Each brings its own choice of parameters, taken from the random numbers of the run. */

import type { Scene } from "./scene.ts";

export interface FaultKind {
  name: string;
  /** One line for --list. */
  what: string;
  /** Programs it cannot do without, with the Debian package of each. */
  needs?: Record<string, string>;
  /** Whether some runs have no fault, e.g. because the file is empty that they damage. */
  mayMiss?: true;
  /**
   * Starts what it needs, injects the fault while records are sent and read, and recovers as the documentation says.
   * When it resolves, everything is sent and a server is running.
   */
  run(scene: Scene): Promise<void>;
}

/** How long a run waits for what must happen, on a busy machine too. */
export const PATIENCE_SECONDS = 120;

/** What most kinds begin with: some records are stored, and a server and readers run. */
export async function begin(
  scene: Scene,
  options: Parameters<Scene["prepare"]>[0] & { server?: Parameters<Scene["startServer"]>[0] } = {},
): Promise<void> {
  await scene.prepare(options);
  // Most are left for the fault.
  const most = Math.min(40, Math.floor(scene.lines.length / 3));
  await scene.ingest(scene.lines.slice(0, scene.random.between(Math.min(10, most), most)));
  await scene.startServer(options.server);
  scene.readers.start();
}
