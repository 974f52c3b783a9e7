/** Callers on kept-alive connections, each with one request at a time, at a set rate in all. */

import type { Question } from "../../model/question.ts";
import type { Questions } from "../../model/questions.ts";
import type { Chance } from "../../support/chance.ts";
import { Connection } from "../../support/connection.ts";
import { JSON_API } from "../../support/world.ts";
import { MOST_IDLE_MS } from "./caller.ts";
import type { History } from "./history.ts";
import type { Judge } from "./judge.ts";
import type { Keys } from "./keys.ts";

export interface ReadersOptions {
  server: { readonly url: string; readonly isReplacing: boolean };
  /** Requests per second. */
  rate: number;
  connections: number;
  chance: Chance;
  questions: Questions;
  history: History;
  judge: Judge;
  keys: Keys;
}

/** A caller that is late by more does not catch up. */
const MOST_LATE_MS = 1000;

export class Readers {
  /** Of the responses since the last sample, in milliseconds. */
  latencies: number[] = [];
  /** Connections that were reset while they were opened, which may happen while workers are replaced. */
  refused = 0;
  /** Requests without a response, on open connections or while no worker is replaced. */
  readonly lost: string[] = [];
  readonly processes = new Set<string>();
  readonly #work: Promise<void>[];
  #isOver = false;

  constructor(private readonly options: ReadersOptions) {
    this.#work = Array.from({ length: options.connections }, (_, at) => this.#call(at));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#work);
  }

  async #call(at: number): Promise<void> {
    const { server, rate, connections } = this.options;
    const interval = (1000 * connections) / rate;
    let due = performance.now() + (interval * at) / connections;
    let line: Connection | undefined;
    let usedAt = 0;
    let isKept = false;
    let next: Question | undefined;
    while (!this.#isOver) {
      const early = due - performance.now();
      if (early > 0) await Bun.sleep(early);
      due = Math.max(due + interval, performance.now() - MOST_LATE_MS);
      if (this.#isOver) break;
      if (!line || line.isClosed || performance.now() - usedAt > MOST_IDLE_MS) {
        line?.close();
        line = new Connection(server.url);
        isKept = false;
      }
      const wasReplacing = server.isReplacing;
      try {
        const { question, isLast } = await this.#ask(line, next);
        next = question;
        usedAt = performance.now();
        isKept = true;
        if (isLast) line.close();
        if (isLast) line = undefined;
      } catch (error) {
        const { message } = error as Error;
        if (!/close|reset|refused|ended|EPIPE/i.test(message)) throw error;
        const isExcused = !isKept && (wasReplacing || server.isReplacing);
        if (isExcused) this.refused += 1;
        else this.lost.push(`${new Date().toISOString()} ${message}`);
        line?.close();
        line = undefined;
      }
    }
    line?.close();
  }

  async #ask(line: Connection, given: Question | undefined) {
    const { chance, questions, history, judge, keys } = this.options;
    const repeated =
      given === undefined && judge.tags.size > 0 && chance.oneIn(12)
        ? chance.pick([...judge.tags.values()])
        : undefined;
    const question = repeated?.question ?? given ?? questions.next(history.last);
    const method = given === undefined && !repeated && chance.oneIn(25) ? "HEAD" : "GET";
    const secret = keys.pick(chance);
    const encoding = chance.pick(["identity", "identity", "gzip", "zstd"]);
    const usual = {
      Authorization: `Bearer ${secret.text}`,
      Accept: JSON_API,
      "Accept-Encoding": repeated?.tagged.encoding ?? encoding,
      ...(repeated ? { "If-None-Match": repeated.tagged.tag } : {}),
      ...question.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(usual).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    // Each tag is used once: the next response brings another one.
    if (repeated) judge.tags.delete(question.path);
    const span = history.start(question.mayBeStale);
    const sentAt = performance.now();
    try {
      const reply = await line.ask(question.path, headers, method);
      const receivedAt = performance.now();
      this.latencies.push(receivedAt - sentAt);
      if (line.process !== undefined) this.processes.add(line.process);
      const known = repeated?.tagged;
      const exchange = {
        question,
        method,
        headers,
        secret,
        known,
        span,
        sentAt,
        receivedAt,
        reply,
      };
      const next = judge.take(exchange as Parameters<Judge["take"]>[0]);
      return { question: next, isLast: reply.headers.get("connection") === "close" };
    } catch (error) {
      history.end(span);
      throw error;
    }
  }
}
