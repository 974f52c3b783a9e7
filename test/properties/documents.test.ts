/** What is served in an encoding is read by other programs. That it is right, state.test.ts says. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { AT, pagePath } from "../model/pages.ts";
import { scaled } from "../support/scale.ts";
import { aFolder, startWorld } from "../support/world.ts";
import { ask, PUBLIC_URL } from "./asking.ts";
import { history, MATCH_IDS, PLAYER_IDS, TITLE } from "./histories.ts";

/** Programs that write the decoded files to standard output. */
const DECODERS = [
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
];

/** Pages, whole and in part, and each record alone. */
const LIST = { filters: {}, window: { start: 0, end: Date.UTC(2025, 0) }, isDescending: false };
const PATHS = [
  ...[1, 2, 5].map((limit) => pagePath({ ...LIST, limit })),
  ...[{ include: "" }, { include: "rosters" }, { "fields[match]": "createdAt" }].map((shape) =>
    pagePath({ ...LIST, limit: 5 }, shape),
  ),
  `${AT}/players`,
  ...MATCH_IDS.map((id) => `${AT}/matches/${id}`),
  ...PLAYER_IDS.map((id) => `${AT}/players/${id}`),
];

const served = fc.tuple(history, fc.constantFrom("fast", "small"));

const programs = DECODERS.map(([program]) => program!);
test.skipIf(programs.some((program) => Bun.which(program) === null))(
  `every body in gzip is read by other programs (needs ${programs.join(", ")})`,
  async () => {
    using folder = aFolder();
    const isRead = fc.asyncProperty(served, async ([documents, compression]) => {
      const flags = { "public-url": PUBLIC_URL, "title-id": TITLE, compression };
      await using world = await startWorld(documents, flags);
      const asked = [];
      for (const path of PATHS) asked.push(await ask(world, path));
      const replies = asked.filter(({ status, sent }) => status === 200 && sent.includes("gzip"));
      const files = replies.map((reply, index) => {
        const file = join(folder.path, `${index}.gz`);
        writeFileSync(file, reply.gzip);
        return file;
      });
      const plain = Buffer.concat(replies.map((reply) => reply.plain));
      for (const decoder of files.length === 0 ? [] : DECODERS) {
        const decoded = Bun.spawnSync([...decoder, ...files]);
        expect([decoded.exitCode, String(decoded.stderr)]).toEqual([0, ""]);
        expect(decoded.stdout.equals(plain)).toBe(true);
      }
    });
    await fc.assert(isRead, { numRuns: scaled(4, 2) });
  },
  600_000,
);
