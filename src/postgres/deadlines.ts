/** In charge of giving up on answers that take too long: one clock for all that is waited for. */

/** How exactly. A timer of its own for every answer would cost more than some answers do. */
const STEP_MS = 250;

interface Wait {
  until: number;
  giveUp(): void;
}

export class Deadlines {
  readonly #waits = new Set<Wait>();
  #clock: ReturnType<typeof setInterval> | undefined;

  /** What `answer` becomes, or the failure that `onLate` says, if that takes longer. */
  within<T>(milliseconds: number, answer: Promise<T>, onLate: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: Wait = {
        until: performance.now() + milliseconds,
        giveUp: () => reject(onLate()),
      };
      this.#waits.add(wait);
      this.#clock ??= this.#start();
      answer.then(
        (value) => {
          this.#waits.delete(wait);
          resolve(value);
        },
        (error) => {
          this.#waits.delete(wait);
          reject(error);
        },
      );
    });
  }

  #start() {
    const clock = setInterval(() => this.#look(), STEP_MS);
    clock.unref();
    return clock;
  }

  #look(): void {
    if (this.#waits.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
      return;
    }
    const now = performance.now();
    for (const wait of this.#waits) {
      if (wait.until > now) continue;
      this.#waits.delete(wait);
      wait.giveUp();
    }
  }
}
