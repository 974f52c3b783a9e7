/** Reads error documents. */

import { expect } from "bun:test";
import { ERRORS } from "../../src/domain/errors.ts";
import type { Reply } from "./world.ts";

export interface ProblemOut {
  id: string;
  status: string;
  code: string;
  title: string;
  detail: string;
  source?: { parameter?: string; header?: string };
}

/** The problems in a response, after checking that it is a valid error document. */
export function problemsIn(reply: Reply): ProblemOut[] {
  expect(reply.headers.get("content-type")).toBe("application/vnd.api+json");
  expect(reply.body).toEqual({ errors: expect.any(Array), jsonapi: { version: "1.1" } });
  const problems = reply.body.errors as ProblemOut[];
  expect(problems).not.toBeEmpty();
  for (const problem of problems) {
    expect(problem.id).toBe(reply.headers.get("x-request-id")!);
    expect(problem.status).toBe(String(reply.status));
    expect(problem.title).not.toBeEmpty();
    expect(problem.detail).toMatch(/[.?]$/);
  }
  return problems;
}

/** The only problem in a response. */
export function problemIn(reply: Reply): ProblemOut {
  const problems = problemsIn(reply);
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

/** The only problem has this code, the status of this code (test/contract has them all), and this source. */
export function expectProblem(
  reply: Reply,
  code: keyof typeof ERRORS,
  source?: ProblemOut["source"],
): void {
  const problem = problemIn(reply);
  expect([problem.code, reply.status]).toEqual([code, ERRORS[code].status]);
  if (source) expect(problem.source).toEqual(source);
}

/** An error document without the parts that differ between requests. */
export function anonymous(reply: Reply): unknown {
  return {
    status: reply.status,
    headers: [...reply.headers]
      .filter(([name]) => !["date", "x-request-id", "ratelimit", "content-length"].includes(name))
      .filter(([name]) => !name.startsWith("x-ratelimit-")),
    errors: reply.body?.errors?.map(({ id: _, ...rest }: ProblemOut) => rest),
  };
}
