/** In charge of the uploads under way: how many at once, and their end when the server stops. */

import { STOPPING } from "./broken.ts";
import { Intake, type IntakeLimits } from "./intake.ts";
import { AdminRefusal, SOON } from "./refusal.ts";
import { Spool } from "./spool.ts";
import { type ThreadOptions, UploadThread } from "./thread.ts";

/** Each takes memory of its own, and all of them wait for the same writer. */
const MOST_AT_ONCE = 2;

export interface UploadOptions extends IntakeLimits {
  /** Where result lines wait for their reader. */
  spoolDir: string;
  thread: ThreadOptions;
}

/** An upload that was let in. */
export interface Upload {
  intake: Intake;
  spool: Spool;
  /** Everything that was read is stored; the reply may still be read. */
  stored(): void;
  /** The reply is over, too: another upload may come. */
  leave(): void;
}

export class Uploads {
  readonly thread: UploadThread;
  readonly #underWay = new Map<Upload, Promise<void>>();
  #isStopping = false;

  constructor(readonly options: UploadOptions) {
    this.thread = new UploadThread(options.thread);
  }

  /** Throws AdminRefusal when there is no room. */
  enter(body: ReadableStream<Uint8Array> | null): Upload {
    if (this.#isStopping) throw notNow("stopping", "The server is stopping: try again later.");
    if (this.#underWay.size >= MOST_AT_ONCE) {
      throw notNow(
        "uploads-busy",
        `${MOST_AT_ONCE} uploads are under way already: try again when one is done.`,
      );
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const upload: Upload = {
      intake: new Intake(body, this.options),
      spool: new Spool(this.options.spoolDir),
      stored: resolve,
      leave: () => {
        upload.spool.close();
        this.#underWay.delete(upload);
      },
    };
    this.#underWay.set(upload, promise);
    return upload;
  }

  /** Reads no more of any body; settled once everything that was read is stored. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { intake } of this.#underWay.keys()) intake.break(STOPPING);
    await Promise.all(this.#underWay.values());
    await this.thread.close();
  }
}

function notNow(code: "stopping" | "uploads-busy", message: string): AdminRefusal {
  return new AdminRefusal(code, message, { headers: SOON });
}
