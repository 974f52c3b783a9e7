/** What is served in an encoding is read by other programs. That it is right, state.test.ts says. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { runProgram } from "../support/process.ts";
import { scaled } from "../support/scale.ts";
import { aFolder, JSON_API, startWorld, type World } from "../support/world.ts";
import { askEverything, matchesPath, PUBLIC_URL } from "./asking.ts";
import { history, SHARD, TITLE } from "./histories.ts";

/** Programs that write the decoded files to standard output. */
const DECODERS = {
  gzip: [
    ["gzip", "-dc"],
    [
      "python3",
      "-c",
      "import sys, zlib\nfor name in sys.argv[1:]: sys.stdout.buffer.write(zlib.decompress(open(name, 'rb').read(), 31))",
    ],
    [
      "node",
      "-e",
      "for (const name of process.argv.slice(1)) fs.writeSync(1, zlib.gunzipSync(fs.readFileSync(name)))",
    ],
  ],
  zstd: [["zstd", "-dcq"]],
};

/** Some random records, served in either way to compress. */
async function servingAny(numRuns: number, check: (world: World) => Promise<void>): Promise<void> {
  const compression = fc.constantFrom("fast", "small");
  const holds = fc.asyncProperty(history, compression, async (documents, how) => {
    const flags = { "public-url": PUBLIC_URL, "title-id": TITLE, compression: how };
    await using world = await startWorld(documents, flags);
    await check(world);
  });
  await fc.assert(holds, { numRuns: scaled(numRuns, 2) });
}

for (const encoding of ["gzip", "zstd"] as const) {
  const decoders = DECODERS[encoding];
  const programs = decoders.map(([program]) => program!);
  test.skipIf(programs.some((program) => Bun.which(program) === null))(
    `every body in ${encoding} is read by other programs (needs ${programs.join(", ")})`,
    async () => {
      using folder = aFolder();
      await servingAny(4, async (world) => {
        const replies = [...(await askEverything(world)).values()].filter(
          ({ status, sent }) => status === 200 && sent.includes(encoding),
        );
        const files = replies.map((reply, index) => {
          const file = join(folder.path, `${index}.${encoding === "gzip" ? "gz" : "zst"}`);
          writeFileSync(file, reply[encoding]);
          return file;
        });
        const plain = Buffer.concat(replies.map((reply) => reply.plain));
        for (const decoder of files.length === 0 ? [] : decoders) {
          const decoded = Bun.spawnSync([...decoder, ...files]);
          expect([decoded.exitCode, String(decoded.stderr)]).toEqual([0, ""]);
          expect(decoded.stdout.equals(plain)).toBe(true);
        }
      });
    },
    600_000,
  );
}

test.skipIf(Bun.which("curl") === null)(
  "curl --compressed reads what curl alone reads (needs curl)",
  async () => {
    await servingAny(3, async ({ url, key }) => {
      for (const path of [
        ...[matchesPath(), matchesPath({ include: "rosters" }), `/shards/${SHARD}/players`],
      ]) {
        const curl = async (...options: string[]) => {
          const headers = ["-H", `Authorization: Bearer ${key}`, "-H", `Accept: ${JSON_API}`];
          const command = ["curl", "-sSg", "--fail", ...options, ...headers, `${url}${path}`];
          const { exitCode, stdout, stderr } = await runProgram(command);
          expect([exitCode, stderr]).toEqual([0, ""]);
          return stdout;
        };
        const [compressed, alone] = [await curl("--compressed"), await curl()];
        expect(compressed).toEqual(alone);
        expect(JSON.parse(alone)).toHaveProperty("data");
      }
    });
  },
  600_000,
);
