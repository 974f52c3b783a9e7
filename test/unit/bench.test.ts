/** The pure parts of the benchmark that a run does not show: fairness and the growth of memory. */

import { expect, test } from "bun:test";
import { memoryRows } from "../../bench/measure-memory.ts";
import { documentDifference } from "../../bench/requests.ts";

test("servers are compared only if they send the same ids in the same order and as many included resources", () => {
  const reply = (ids: string[], included: number) => ({
    data: ids.map((id) => ({ type: "match", id })),
    included: Array.from({ length: included }, (_, at) => ({ type: "roster", id: `r${at}` })),
  });
  expect(documentDifference(reply(["a", "b"], 2), reply(["a", "b"], 2))).toBeUndefined();
  expect(documentDifference(reply(["a", "b"], 2), reply(["b", "a"], 2))).toContain("[b, a]");
  expect(documentDifference(reply(["a"], 2), reply(["a"], 3))).toContain("2 and 3");
});

test("the growth of memory counts after the warm-up", () => {
  const samples = [0, 60, 120, 180, 600].map((seconds, at) => ({
    seconds,
    resident: [50, 90, 100, 130, 105][at]!,
    own: [40, 70, 80, 90, 80][at]!,
    ingest: seconds === 180 ? 200 : 0,
  }));
  expect(memoryRows(samples, 600)).toEqual([
    ["resident memory of the server after 120 s, MiB", "100"],
    ["resident memory at the end, MiB", "105"],
    ["peak resident memory, MiB", "130"],
    ["peak resident memory of the ingest, MiB", "200"],
    ["growth from 120 s to the end", "5.0 %"],
    ["without mapped files, after 120 s, MiB", "80"],
    ["without mapped files, at the end, MiB", "80"],
    ["without mapped files, growth from 120 s to the end", "0 %"],
  ]);
});
