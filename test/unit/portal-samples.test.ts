/** Code samples: safe to paste, whatever URLs and keys contain, and they send the request. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { curlOf, fetchOf, pythonOf } from "../../src/portal/views/developers/samples.ts";
import type { Query } from "../../src/portal/views/explorer/query.ts";
import { pathOf } from "../../src/portal/views/explorer/request.ts";
import { runProgram } from "../support/process.ts";
import { scaled } from "../support/scale.ts";
import { aFolder } from "../support/world.ts";

/** Any characters, especially those with a meaning in shells, programs and URLs. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "!", "&", "+", "%", "\n", " ", ","),
  }),
);
const anyUrl = fc.tuple(anyText, anyText).map(([shard, name]) => {
  const query: Query = {
    shard,
    on: "matches",
    id: "",
    parameters: [["filter[playerNames]", name]],
    as: "cards",
  };
  return `http://localhost:8080${pathOf(query)}`;
});
const anyKey = fc.string({ unit: "grapheme-ascii" });

const headersOf = (key: string) => [
  ["Authorization", `Bearer ${key}`],
  ["Accept", "application/vnd.api+json"],
];

describe("the curl command", () => {
  /** The words of the command as the shell sees them, without running curl. */
  async function wordsOf(line: string): Promise<string[]> {
    const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
    const { stdout, stderr } = await runProgram(["sh", "-c", script]);
    expect(stderr).toBe("");
    return stdout.split("\0").slice(0, -1);
  }

  test("is safe to paste into a shell, whatever names and keys contain", async () => {
    await fc.assert(
      fc.asyncProperty(anyUrl, anyKey, async (url, key) => {
        const headers = headersOf(key).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
        expect(await wordsOf(curlOf({ url, key }))).toEqual([
          "-g",
          "--compressed",
          ...headers,
          url,
        ]);
      }),
      { numRuns: scaled(25) },
    );
  });
});

test("the program with fetch sends the request, whatever names and keys contain", async () => {
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const sent = async (program: string) => {
    const requests: unknown[] = [];
    const fetch = async (...request: unknown[]) => {
      requests.push(request);
      return Response.json({});
    };
    await new AsyncFunction("fetch", "console", program)(fetch, { log() {} });
    return requests;
  };
  await fc.assert(
    fc.asyncProperty(anyUrl, anyKey, async (url, key) => {
      expect(await sent(fetchOf({ url, key }))).toEqual([
        [url, { headers: Object.fromEntries(headersOf(key)) }],
      ]);
    }),
    { numRuns: scaled(50) },
  );
  expect(await sent(fetchOf({ url: "http://h/status", key: undefined }))).toEqual([
    ["http://h/status"],
  ]);
});

test.skipIf(Bun.which("python3") === null)(
  "the Python program sends the request (needs python3)",
  async () => {
    const requests: [path: string, headers: Headers][] = [];
    const server = Bun.serve({
      port: 0,
      fetch(request) {
        requests.push([new URL(request.url).search, request.headers]);
        return Response.json({ data: [{ name: "Zoë" }] });
      },
    });
    const folder = aFolder();
    try {
      const url = `${server.url.origin}/shards/na/matches?filter[playerNames]=a%27b%22c`;
      writeFileSync(join(folder.path, "sample.py"), pythonOf({ url, key: `k'"\\y` }));
      const { stdout, stderr } = await runProgram(["python3", "sample.py"], { cwd: folder.path });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({ data: [{ name: "Zoë" }] });
      const [[search, headers]] = requests as [[string, Headers]];
      expect(search).toBe("?filter[playerNames]=a%27b%22c");
      expect(headers.get("authorization")).toBe(`Bearer k'"\\y`);
      expect(headers.get("accept")).toBe("application/vnd.api+json");
    } finally {
      await server.stop(true);
      folder.remove();
    }
  },
);
