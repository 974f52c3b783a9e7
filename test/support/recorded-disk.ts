/** A folder on the modelled disk, and recorded runs of commands in it. */

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DiskModel, WORST } from "./disk-model.ts";
import { asProcess, type Finished } from "./process.ts";
import { type Call, recorder, sends } from "./system-calls.ts";

export class RecordedDisk {
  /** Commands use paths in it. */
  readonly path: string;
  #cuts = 0;

  /** `content` is on it from the beginning. */
  constructor(
    private readonly folder: string,
    content?: string,
  ) {
    this.path = join(folder, "disk");
    if (content === undefined) mkdirSync(this.path, { recursive: true });
    else cpSync(content, this.path, { recursive: true });
  }

  /** Runs a command, and cuts the power when it sends `acknowledgement`, or when it has ended. */
  async run(args: string[], acknowledgement: string | undefined, stdin = ""): Promise<CommandRun> {
    const before = new DiskModel(this.path);
    const { program, calls } = recorder(this.folder);
    const finished = await asProcess(args, { program, stdin });
    return { finished, ...this.cut(before, calls(), acknowledgement) };
  }

  /** Replays calls from a state of the disk to an acknowledgement, and further to the end. */
  cut(model: DiskModel, calls: readonly Call[], acknowledgement: string | undefined): Cut {
    const moment =
      acknowledgement === undefined
        ? Number.POSITIVE_INFINITY
        : sends(calls, acknowledgement).moment;
    model.play(calls.filter((call) => call.moment < moment));
    const atRisk = model.atRisk();
    const left = join(this.folder, `left-${this.#cuts++}`);
    model.cut(left, WORST);
    model.play(calls.filter((call) => call.moment >= moment));
    return { atRisk, left, mistakes: model.mistakes };
  }
}

export interface Cut {
  /** What was not on the disk at the acknowledgement. */
  atRisk: string[];
  /** A folder with what was. */
  left: string;
  /** What the whole run did in an order that a power cut could turn into damage. */
  mistakes: string[];
}

export interface CommandRun extends Cut {
  finished: Finished;
}
