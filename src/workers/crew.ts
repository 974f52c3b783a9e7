/** In charge of all workers together: their start, their renewal one after another, their end. */

import type { Family } from "../observe/prometheus.ts";
import { Post, type PostOptions } from "./post.ts";
import { type Ending, inWords } from "./process.ts";
import { Tally } from "./tally.ts";

/** A worker ended before all could serve. If it ended by itself, it has said why. */
export class StartFailed extends Error {
  override name = "StartFailed";
  constructor(
    worker: number,
    readonly ending: Ending,
  ) {
    super(`worker ${worker} ended with ${inWords(ending)} before it served`);
  }
}

export class Crew {
  readonly #options: PostOptions;
  readonly #tally = new Tally();
  readonly #posts: readonly Post[];
  #isStopping = false;
  #restarting: Promise<void> | undefined;
  #restartsAgain = false;

  constructor(workers: number, options: PostOptions) {
    this.#options = options;
    this.#posts = Array.from(
      { length: workers },
      (_, at) => new Post(at + 1, this.#tally, options),
    );
  }

  /**
   * Resolves with the address when all serve. The first begins alone, so that what is wrong with the
   * settings or a store is said once. Throws StartFailed, and then nothing is left running.
   */
  async start(): Promise<string> {
    try {
      const [url] = await this.#begin(0, 1);
      await this.#begin(1);
      return url!;
    } catch (error) {
      await this.stop("failed start");
      throw error;
    }
  }

  /** New workers in place of the old ones, one after another; and again, if it is asked for meanwhile. */
  restart(): void {
    this.#restartsAgain = true;
    this.#restarting ??= this.#restart().finally(() => {
      this.#restarting = undefined;
    });
  }

  async stop(signal: string): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#posts.map((post) => post.stop(signal)));
  }

  /** Resolves when every worker knows the keys as they are now. */
  async lookAtKeys(): Promise<void> {
    const workers = this.#posts.flatMap(({ serving, retiring }) =>
      [serving ?? [], retiring].flat(),
    );
    await Promise.all(workers.map((worker) => worker.lookAtKeys()));
  }

  count(): Promise<Family[]> {
    const serving = this.#posts.flatMap((post) => post.serving ?? []);
    const retiring = this.#posts.flatMap((post) => post.retiring);
    return this.#tally.of(serving, retiring);
  }

  async #begin(from: number, to?: number): Promise<string[]> {
    const posts = this.#posts.slice(from, to);
    const outcomes = await Promise.all(posts.map((post) => post.man()));
    return outcomes.map((outcome, at) => {
      if (typeof outcome !== "string") throw new StartFailed(from + at + 1, outcome);
      return outcome;
    });
  }

  async #restart(): Promise<void> {
    const { observe } = this.#options;
    while (this.#restartsAgain && !this.#isStopping) {
      this.#restartsAgain = false;
      observe({ event: "restarting", workers: this.#posts.length });
      for (const [at, post] of this.#posts.entries()) {
        const ending = this.#isStopping ? undefined : await post.relieve();
        if (ending === undefined) continue;
        observe({ event: "restart-broken-off", worker: at + 1, how: inWords(ending) });
        return;
      }
      if (!this.#isStopping) observe({ event: "restarted", workers: this.#posts.length });
    }
  }
}
