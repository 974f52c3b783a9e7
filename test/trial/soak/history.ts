/**
 * The states of the model over time. A single writer makes one step after another; a step begins before its command is
 * sent, and is done when the command has returned. A response is right if it equals the state before or after any step
 * that overlaps its request.
 */

import type { State } from "../../model/state.ts";

export interface Step {
  version: number;
  what: string;
  begunAt: number;
  doneAt: number | undefined;
}

/** How many steps a report of a mismatch shows. */
const STEPS_SHOWN = 12;

/** The versions that a request may show. */
export interface Span {
  from: number;
  to: number;
}

export class History {
  readonly #states = new Map<number, State>();
  readonly #steps: Step[] = [];
  readonly #pending = new Set<Span>();
  #begun: number;
  #done: number;
  #kept: number;

  constructor(
    first: State,
    /** How old a response may be that the server computes only from time to time. */
    private readonly staleMs = 0,
  ) {
    this.#states.set(first.version, first);
    this.#begun = this.#done = this.#kept = first.version;
  }

  /** The state after the last step that has begun. */
  get last(): State {
    return this.#states.get(this.#begun)!;
  }

  state(version: number): State {
    return this.#states.get(version)!;
  }

  /** The states that a step goes through, in order. */
  begin(what: string, states: readonly State[]): void {
    for (const state of states) {
      this.#states.set(state.version, state);
      this.#steps.push({ version: state.version, what, begunAt: Date.now(), doneAt: undefined });
      this.#begun = state.version;
    }
    if (this.#steps.length > 100) this.#steps.splice(0, 50);
  }

  done(): void {
    for (const step of this.#steps) step.doneAt ??= Date.now();
    this.#done = this.#begun;
    this.#forget();
  }

  /** A request begins. `end` must follow. */
  start(mayBeStale = false): Span {
    const span = { from: mayBeStale ? this.#stale() : this.#done, to: this.#done };
    this.#pending.add(span);
    return span;
  }

  /** The request has its response; its states are still kept. */
  stop(span: Span): void {
    span.to = this.#begun;
  }

  end(span: Span): void {
    this.#pending.delete(span);
  }

  *candidates({ from, to }: Span): Generator<State> {
    // The newest first: most responses show it.
    for (let version = to; version >= from; version--) yield this.#states.get(version)!;
  }

  /** The last steps, for a report. */
  recent(): Step[] {
    return this.#steps.slice(-STEPS_SHOWN);
  }

  /** The oldest version that may still be shown. */
  #stale(): number {
    if (this.staleMs === 0) return this.#done;
    const time = Date.now() - this.staleMs;
    const shown = this.#steps.findLast(({ doneAt }) => doneAt !== undefined && doneAt <= time);
    return shown ? Math.max(this.#kept, shown.version) : this.#kept;
  }

  #forget(): void {
    const needed = Math.min(this.#stale(), ...[...this.#pending].map(({ from }) => from));
    for (; this.#kept < needed; this.#kept++) this.#states.delete(this.#kept);
  }
}
