/** Steps of the wall clock, while the monotonic clock goes on. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { begin, type FaultKind } from "../kind.ts";
import { missesNothing } from "./disks.ts";

const HOUR = 3600;
const STEPS = [-400 * 24, -48, -1, -0.2, 0.2, 1, 30, 400 * 24].map((hours) => hours * HOUR);

const jump: FaultKind = {
  name: "clock-jump",
  what: "the wall clock of the server steps back or ahead, by minutes to a year, and returns; the monotonic one does not",
  needs: { faketime: "faketime" },
  async run(scene) {
    const { random } = scene;
    const offset = join(scene.folder.path, "clock");
    const set = (seconds: number) =>
      writeFileSync(offset, `${seconds >= 0 ? "+" : ""}${seconds}\n`);
    set(0);
    const env = {
      LD_PRELOAD: libfaketime(),
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
    await begin(scene, { server: { env } });
    for (let times = random.between(1, 3); times > 0; times--) {
      const step = random.pick(STEPS);
      scene.note(`${step / HOUR} h`);
      // Lists end at the present, and records that are ahead of the clock are rejected.
      scene.ledger.mayLack = step < 0;
      if (step < 0) scene.allowedRefusals.add("records-not-stored");
      set(step);
      scene.hit();
      await scene.send(scene.ledger.open.slice(0, 40), "upload");
      await missesNothing(scene);
      set(0);
      await missesNothing(scene);
      scene.ledger.mayLack = false;
    }
    await scene.sendOpen();
  },
};

function libfaketime(): string {
  const [library] = [...new Bun.Glob("/usr/lib/*/faketime/libfaketime.so.1").scanSync("/")];
  if (library === undefined) throw new Error(`no libfaketime.so.1 in ${readdirSync("/usr/lib")}`);
  return library;
}

export const CLOCKS = [jump];
