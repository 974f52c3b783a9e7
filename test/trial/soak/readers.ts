/** Callers on kept-alive connections, each with one request at a time, at a set rate in all. */

import type { Question } from "../../model/question.ts";
import type { Questions } from "../../model/questions.ts";
import type { Chance } from "../../support/chance.ts";
import { Caller, NoResponse } from "./caller.ts";
import type { History } from "./history.ts";
import type { Judge } from "./judge.ts";

export interface ReadersOptions {
  server: { readonly url: string; readonly isReplacing: boolean };
  /** Requests per second. */
  rate: number;
  chance: Chance;
  questions: Questions;
  history: History;
  judge: Judge;
  key: string;
}

const CONNECTIONS = 16;
/** A caller that is late by more does not catch up. */
const MOST_LATE_MS = 1000;

export class Readers {
  /** Requests without a response, on open connections or while no worker is replaced. */
  readonly lost: string[] = [];
  readonly processes = new Set<string>();
  readonly #callers: Caller[];
  readonly #work: Promise<void>[];
  #isOver = false;

  constructor(private readonly options: ReadersOptions) {
    this.#callers = Array.from({ length: CONNECTIONS }, () => new Caller(options.server));
    this.#work = this.#callers.map((caller, at) => this.#call(caller, at));
  }

  /** Connections that were reset while they were opened, which may happen while workers are replaced. */
  get refused(): number {
    return this.#callers.reduce((sum, { refused }) => sum + refused, 0);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#work);
  }

  async #call(caller: Caller, at: number): Promise<void> {
    const { rate } = this.options;
    const interval = (1000 * CONNECTIONS) / rate;
    let due = performance.now() + (interval * at) / CONNECTIONS;
    let next: Question | undefined;
    while (!this.#isOver) {
      const early = due - performance.now();
      if (early > 0) await Bun.sleep(early);
      due = Math.max(due + interval, performance.now() - MOST_LATE_MS);
      if (this.#isOver) break;
      try {
        next = await this.#ask(caller, next);
      } catch (error) {
        if (!(error instanceof NoResponse)) throw error;
        this.lost.push(`${new Date().toISOString()} ${error.message}`);
        next = undefined;
      }
    }
    caller.close();
  }

  async #ask(caller: Caller, given: Question | undefined): Promise<Question | undefined> {
    const { chance, questions, history, judge, key } = this.options;
    const repeated =
      given === undefined && judge.tags.size > 0 && chance.oneIn(12)
        ? chance.pick([...judge.tags.values()])
        : undefined;
    const known = repeated?.tagged;
    const question = repeated?.question ?? given ?? questions.next(history.last);
    const method = given === undefined && !repeated && chance.oneIn(25) ? "HEAD" : "GET";
    const encoding = chance.pick(["identity", "gzip"]);
    const usual = {
      ...Caller.headers(key),
      "Accept-Encoding": known?.encoding ?? encoding,
      ...(known ? { "If-None-Match": known.tag } : {}),
      ...question.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(usual).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    // Each tag is used once: the next response brings another one.
    if (known) judge.tags.delete(question.path);
    const span = history.start(question.mayBeStale);
    try {
      const reply = await caller.ask(question.path, headers, method);
      if (caller.process !== undefined) this.processes.add(caller.process);
      return judge.take({ question, method, headers, known, span, reply });
    } catch (error) {
      history.end(span);
      throw error;
    }
  }
}
