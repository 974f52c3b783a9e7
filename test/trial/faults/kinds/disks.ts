/** Disks that are full, or read-only. */

import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../support/state.ts";
import { begin, type FaultKind, PATIENCE_SECONDS } from "../kind.ts";
import type { Scene } from "../scene.ts";
import { mountDisk } from "../small-disk.ts";
import { acknowledgedMore } from "./kills.ts";

const NAMESPACES = { unshare: "util-linux" };

const full: FaultKind = {
  name: "full-disk",
  what: "a file system that becomes full while records are stored; uploads go on, and the server may restart on it",
  needs: NAMESPACES,
  // The rest of the space may be enough.
  mayMiss: true,
  async run(scene) {
    const { random } = scene;
    const disk = await mountDisk(scene, 65_536);
    const data = join(disk.path, "data");
    await begin(scene, { data });
    const filler = join(disk.outside, "filler");
    const sending = scene.send(scene.ledger.open);
    await acknowledgedMore(scene);
    fill(disk.outside, filler, random.between(0, 400));
    await sending;
    if (random.share(0.5)) await scene.send(scene.ledger.open);
    if (scene.ledger.open.length > 0) scene.hit();
    if (random.share(0.3)) {
      await scene.stopServer(random.pick(["SIGTERM", "SIGKILL"]));
      await scene.startServer();
    }
    await missesNothing(scene);
    rmSync(filler);
    await scene.sendOpen();
  },
};

/** Leaves this much space, in KiB. */
function fill(disk: string, filler: string, left: number): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left * 1024)));
  } catch {
    // The server took the rest meanwhile: it is as full as it gets.
  }
}

/** The readers go on for a while with the fault in place. */
export async function missesNothing(scene: Scene): Promise<void> {
  const goal = scene.ledger.compared + 30;
  const refused = () => [...scene.readers.errors.values()].reduce((sum, count) => sum + count, 0);
  const before = refused();
  await until(
    "responses",
    () => scene.ledger.compared >= goal || refused() > before + 5,
    PATIENCE_SECONDS,
  );
}

const readOnly: FaultKind = {
  name: "read-only-folder",
  what: "a server on a read-only file system; it serves, refuses uploads, and goes on when it is writable again",
  needs: NAMESPACES,
  async run(scene) {
    const disk = await mountDisk(scene, 65_536);
    const data = join(disk.path, "data");
    await begin(scene, { data });
    await scene.send(scene.ledger.open.slice(0, scene.random.between(0, 60)));
    await scene.stopServer(scene.random.pick(["SIGTERM", "SIGKILL"]));
    scene.moveTo(join(disk.readOnlyPath, "data"));
    await scene.startServer();
    const some = scene.ledger.open.slice(0, 20);
    const isStored = await scene.upload(some);
    const { exitCode } = await scene.ingest(some);
    scene.hit();
    if (isStored || exitCode === 0) scene.problems.push("records were stored on a read-only disk");
    const { status } = await fetch(`${scene.target.url}/readyz`);
    if (status !== 200) scene.problems.push(`/readyz responds with ${status} on a read-only disk`);
    const verified = await scene.command(["verify", "na", "--full-speed"]);
    if (verified.exitCode !== 0)
      scene.problems.push(`verify: ${verified.stdout}${verified.stderr}`);
    await missesNothing(scene);
    await scene.stopServer();
    scene.moveTo(data);
    await scene.startServer();
    await scene.sendOpen();
  },
};

export const DISKS = [full, readOnly];
