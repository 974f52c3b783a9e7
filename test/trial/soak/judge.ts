/** Compares every response with the model, and keeps what a report of a mismatch needs. */

import type { ChangeLog } from "../../model/change-log.ts";
import {
  type Body,
  difference,
  expectedOf,
  isFixed,
  type Question,
  signatureOf,
} from "../../model/question.ts";
import type { State } from "../../model/state.ts";
import { plainBody, type RawReply } from "../../support/connection.ts";
import type { History, Span } from "./history.ts";

/** A request and its response. */
export interface Exchange {
  question: Question;
  method: "GET" | "HEAD";
  headers: Record<string, string>;
  /** What the tag in If-None-Match stands for. */
  known: Tagged | undefined;
  span: Span;
  reply: RawReply;
}

/** An entity tag, and the signature of the content that it came with. */
export interface Tagged {
  tag: string;
  signature: bigint;
  encoding: string;
}

export interface Mismatch {
  what: string;
  exchange: Exchange;
  /** For each state that the response may have shown. */
  expected: { version: number; differs: string; expected: unknown }[];
}

/** Keeps as many tags of responses for conditional requests. */
const TAGS_KEPT = 300;

export class Judge {
  responses = 0;
  readonly kinds = new Map<string, number>();
  readonly mismatches: Mismatch[] = [];
  readonly tags = new Map<string, { question: Question; tagged: Tagged }>();
  readonly #verified = new WeakMap<State, Map<string, bigint>>();
  #waiting: Exchange[] = [];

  constructor(
    private readonly history: History,
    private readonly log: ChangeLog,
    /** Changes a response, to see that the comparison finds it. */
    private readonly tamper: (kind: string, reply: RawReply) => Buffer = (_, { body }) => body,
  ) {}

  /** Judges a response. Returns the next request of a walk. */
  take(exchange: Exchange): Question | undefined {
    const { span, question, reply } = exchange;
    reply.body = this.tamper(question.kind, reply);
    this.history.stop(span);
    this.responses += 1;
    if (question.needsLog && this.log.version < span.to) {
      this.#waiting.push(exchange);
      return undefined;
    }
    return this.#judge(exchange);
  }

  /** The log has grown: judges the responses that need it. */
  logged(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const exchange of waiting) {
      if (this.log.version < exchange.span.to) this.#waiting.push(exchange);
      else this.#judge(exchange);
    }
  }

  #judge(exchange: Exchange): Question | undefined {
    try {
      return this.#compare(exchange);
    } finally {
      this.history.end(exchange.span);
    }
  }

  #compare(exchange: Exchange): Question | undefined {
    const { question, method, known, reply } = exchange;
    const { status } = reply;
    const states = [...this.history.candidates(exchange.span)];
    if (status === 304) return this.#compareUnchanged(exchange, states);
    if (this.#isVerified(exchange, states)) return this.#countFor(exchange);
    const body = method === "HEAD" ? undefined : bodyOf(reply);
    const differences: Mismatch["expected"] = [];
    for (const state of states) {
      for (const expected of expectedOf(question, state, body, exchange.span.from)) {
        const differs =
          method === "HEAD"
            ? headDifference(expected.status, reply)
            : difference(expected, status, body);
        if (differs === undefined) {
          if (status === 200 && method === "GET") this.#remember(exchange, state);
          this.#countFor(exchange);
          return known || method === "HEAD" ? undefined : question.onRight?.(body, states);
        }
        differences.push({ version: state.version, differs, expected });
      }
    }
    return this.#fail(differences[0]?.differs ?? "no state", exchange, differences);
  }

  /** Not modified: some state has the content that the tag came with. */
  #compareUnchanged(exchange: Exchange, states: State[]): undefined {
    const { question, known } = exchange;
    const signatures = states.flatMap((state) =>
      expectedOf(question, state, undefined).map((expected) => ({ state, expected })),
    );
    const isRight = signatures.some(({ expected }) => signatureOf(expected) === known?.signature);
    if (isRight) return this.#count("304");
    const expected = signatures.map(({ state, expected: one }) => ({
      version: state.version,
      differs: "the content has changed",
      expected: one,
    }));
    return this.#fail("304 although the content has changed", exchange, expected);
  }

  /** Whether the same bytes were found right before, for one of the states. */
  #isVerified({ question, method, reply }: Exchange, states: State[]): boolean {
    if (!isFixed(question) || method === "HEAD" || reply.status !== 200) return false;
    const hash = Bun.hash.wyhash(reply.body);
    return states.some((state) => this.#verified.get(state)?.get(question.path) === hash);
  }

  #remember({ question, reply, headers }: Exchange, state: State): void {
    if (!isFixed(question)) return;
    const known = this.#verified.get(state) ?? new Map<string, bigint>();
    this.#verified.set(state, known);
    known.set(question.path, Bun.hash.wyhash(reply.body));
    const tag = reply.headers.get("etag");
    const [expected] = expectedOf(question, state, undefined);
    if (tag === null || this.tags.has(question.path)) return;
    const encoding = headers["Accept-Encoding"]!;
    this.tags.set(question.path, {
      question,
      tagged: { tag, signature: signatureOf(expected!), encoding },
    });
    if (this.tags.size > TAGS_KEPT) this.tags.delete(this.tags.keys().next().value!);
  }

  #countFor({ question, method, known }: Exchange): undefined {
    this.#count(question.kind);
    if (method === "HEAD") this.#count("HEAD");
    if (known) this.#count("If-None-Match, changed or other content");
    return undefined;
  }

  #count(kind: string): undefined {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    return undefined;
  }

  #fail(what: string, exchange: Exchange, expected: Mismatch["expected"]): undefined {
    this.mismatches.push({ what, exchange, expected });
    return undefined;
  }
}

function headDifference(status: number, reply: RawReply): string | undefined {
  if (reply.status !== status) return `status ${reply.status} instead of ${status}`;
  return Number(reply.headers.get("content-length")) > 0 ? undefined : "no Content-Length";
}

/** The parsed document of a response, whatever its encoding; undefined if it is not JSON. */
export function bodyOf(reply: RawReply): Body {
  try {
    return JSON.parse(plainBody(reply).toString());
  } catch {
    return undefined;
  }
}
