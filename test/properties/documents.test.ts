/** Stitched documents match the records. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type Filters, projected, type Thing } from "../model/record.ts";
import { State } from "../model/state.ts";
import { runProgram } from "../support/process.ts";
import { scaled } from "../support/scale.ts";
import { aFolder, JSON_API, type World } from "../support/world.ts";
import {
  ask,
  askEverything,
  askGzip,
  askIn,
  ENCODINGS,
  follow,
  matchesPath,
  parametersOf,
  query,
  take,
  worldOf,
} from "./asking.ts";
import { history, NAMES, PATCHES, PLAYER_IDS, SHARD, TAGS, TITLE, WINDOW } from "./histories.ts";

/** Runs a property with random records, a server and the reference. */
async function forAnyRecords<T>(
  also: fc.Arbitrary<T>,
  numRuns: number,
  check: (world: World, reference: State, more: T) => Promise<void>,
): Promise<void> {
  const holds = fc.asyncProperty(history, also, async (documents, more) => {
    const world = await worldOf(documents);
    try {
      await check(world, State.of(documents, TITLE), more);
    } finally {
      await world.stop();
    }
  });
  await fc.assert(holds, { numRuns: scaled(numRuns, 2) });
}

/** The document of a response, in either encoding. */
async function documentAt(world: World, path: string): Promise<Thing | undefined> {
  const { status, plain } = await ask(world, path);
  if (status === 404) return undefined;
  expect(status).toBe(200);
  return JSON.parse(plain.toString());
}

/** The order of related resources is stable, but only the set of them is promised. */
const byKey = (resources: unknown) =>
  (resources as Thing[]).toSorted((a, b) => (`${a.type}/${a.id}` < `${b.type}/${b.id}` ? -1 : 1));

const sorted = ({ data, included }: { data?: unknown; included?: unknown }) => ({
  data,
  included: included && byKey(included),
});

function expectSame(document: Thing, expected: { data: unknown; included?: Thing[] }): void {
  expect(sorted(document)).toStrictEqual(sorted(expected));
}

const values = (all: string[]) =>
  fc.shuffledSubarray(all, { minLength: 1, maxLength: Math.min(3, all.length) });
const anyFilters: fc.Arbitrary<Filters> = fc.record(
  {
    playerNames: values(NAMES),
    playerIds: values(PLAYER_IDS),
    teamNames: values([...TAGS, "nobody"]),
    gameModes: values(["ranked", "private", "casual", "blitz_pvp_ranked"]),
    patchVersions: values(PATCHES),
  },
  { requiredKeys: [] },
);
const anyList = fc.record({
  filters: fc.oneof(fc.constant({}), anyFilters, anyFilters),
  sort: fc.constantFrom("createdAt" as const, "-createdAt" as const),
  limit: fc.integer({ min: 1, max: 5 }),
});

test("paging through any list returns its matches in order, in full pages", async () => {
  const lists = fc.array(anyList, { minLength: 8, maxLength: 12 });
  await forAnyRecords(lists, 25, async (world, reference, asked) => {
    for (const { filters, sort, limit } of asked) {
      const expected = reference.list(filters, sort).map(({ id }) => id);
      const start = matchesPath({ ...parametersOf(filters), sort, "page[limit]": `${limit}` });
      const pages = await follow(world, start, ask);
      expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
      for (const [index, [, { status, plain }]] of pages.entries()) {
        expect(status).toBe(200);
        const document = JSON.parse(plain.toString());
        const ids = expected.slice(index * limit, (index + 1) * limit);
        expectSame(document, reference.document(ids));
        expect(document.meta).toStrictEqual({ window: WINDOW });
        expect(document.jsonapi).toStrictEqual({ version: "1.1" });
      }
    }
  });
}, 600_000);

test("a response in any encoding during a write shows the state before or after it", async () => {
  const lists = fc.array(anyList, { minLength: 8, maxLength: 12 });
  const holds = fc.asyncProperty(history, lists, async (documents, asked) => {
    const world = await worldOf([]);
    for (const [written, document] of documents.entries()) {
      const { filters, sort, limit } = asked[written % asked.length]!;
      const states = [written, written + 1].map((count) => {
        const state = State.of(documents.slice(0, count), TITLE);
        return sorted(
          state.document(
            state
              .list(filters, sort)
              .slice(0, limit)
              .map(({ id }) => id),
          ),
        );
      });
      const path = matchesPath({ ...parametersOf(filters), sort, "page[limit]": `${limit}` });
      const asking = ENCODINGS.map((encoding) => askIn(world, path, encoding));
      await take(world, [document]);
      for (const { status, plain } of await Promise.all(asking)) {
        expect(status).toBe(200);
        const shown = sorted(JSON.parse(plain.toString()));
        expect(states).toContainEqual(shown);
      }
      // Afterwards only the new state is shown, also by what is cached.
      const { plain } = await askGzip(world, path);
      expect(sorted(JSON.parse(plain.toString()))).toStrictEqual(states[1]!);
    }
    await world.stop();
  });
  await fc.assert(holds, { numRuns: scaled(15) });
}, 600_000);

test("every list of players contains the requested players, in order", async () => {
  const filters = fc.record(
    { playerNames: values(NAMES), playerIds: values(PLAYER_IDS) },
    {
      requiredKeys: [],
    },
  );
  const lists = fc.array(filters, { minLength: 8, maxLength: 12 });
  await forAnyRecords(lists, 15, async (world, reference, asked) => {
    for (const given of [{}, ...asked]) {
      const path = `/shards/${SHARD}/players?${query(parametersOf(given))}`;
      const document = (await documentAt(world, path))!;
      expect(document.data).toStrictEqual(reference.players(given));
    }
  });
}, 600_000);

const anyShape = fc.record({
  include: fc.option(
    fc.subarray([
      "rosters",
      "rosters.participants",
      "rosters.participants.player",
      "rosters.team",
      "spectators",
      "assets",
      "assets.owner",
    ]),
    { nil: undefined },
  ),
  fields: fc.dictionary(
    fc.constantFrom("match", "roster", "participant", "player", "team"),
    fc.subarray([
      ...["name", "stats", "createdAt", "rosters", "participants", "player"],
      ...["won", "extra", "none"],
    ]),
    { maxKeys: 3, noNullPrototype: true },
  ),
});

test("chosen paths and fields are a subset of the full document", async () => {
  const shapes = fc.array(anyShape, { minLength: 6, maxLength: 8 });
  await forAnyRecords(shapes, 25, async (world, reference, asked) => {
    const ids = reference.servedIds.slice(0, 5);
    const whole = reference.document(ids);
    const known = new Set([
      "rosters",
      "rosters.participants",
      "rosters.participants.player",
      "rosters.team",
      ...extraPaths(reference),
    ]);
    for (const { include, fields } of asked) {
      const paths = include?.filter((path) => known.has(path));
      const shape = {
        ...(paths ? { include: paths.join(",") } : {}),
        ...Object.fromEntries(
          Object.entries(fields).map(([type, names]) => [`fields[${type}]`, names.join(",")]),
        ),
      };
      const page = (await documentAt(world, matchesPath(shape)))!;
      expectSame(page, projected(whole, paths, fields));

      if (ids.length === 0) continue;
      const single = `/shards/${SHARD}/matches/${ids[0]}?${query(shape)}`;
      const { data, included } = projected(reference.document([ids[0]!]), paths, fields);
      expectSame((await documentAt(world, single))!, { data: data[0], included });
    }
  });
}, 600_000);

/** The non-standard paths in served records. */
function extraPaths(reference: State): string[] {
  const found = new Set<string>();
  for (const id of reference.servedIds) {
    const { data, included } = reference.document([id]);
    const relationships = Object.keys(data[0]!.relationships as Thing);
    for (const name of relationships) found.add(name);
    const hasOwner = included.some(
      (one) => one.type === "asset" && "owner" in ((one.relationships as Thing) ?? {}),
    );
    if (hasOwner) found.add("assets.owner");
  }
  return [...found];
}

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

for (const encoding of ["gzip", "zstd"] as const) {
  const decoders = DECODERS[encoding];
  const programs = decoders.map(([program]) => program!);
  test.skipIf(programs.some((program) => Bun.which(program) === null))(
    `every body in ${encoding} is read by other programs (needs ${programs.join(", ")})`,
    async () => {
      const folder = aFolder();
      try {
        await forAnyRecords(fc.constant(0), 4, async (world) => {
          const replies = [...(await askEverything(world, ask)).values()].filter(
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
      } finally {
        folder.remove();
      }
    },
    600_000,
  );
}

test.skipIf(Bun.which("curl") === null)(
  "curl --compressed reads what curl alone reads (needs curl)",
  async () => {
    await forAnyRecords(fc.constant(0), 3, async (world, reference) => {
      const [first] = reference.servedIds;
      const paths = [
        matchesPath(),
        matchesPath({ include: "rosters" }),
        `/shards/${SHARD}/players`,
        ...(first === undefined ? [] : [`/shards/${SHARD}/matches/${first}`]),
      ];
      for (const path of paths) {
        const curl = (...options: string[]) =>
          run(
            ["curl", "-sSg", "--fail", ...options],
            ["-H", `Authorization: Bearer ${world.key}`, "-H", `Accept: ${JSON_API}`],
            [`${world.url}${path}`],
          );
        const [compressed, alone] = [await curl("--compressed"), await curl()];
        expect(compressed).toEqual(alone);
        expect(JSON.parse(alone)).toHaveProperty("data");
      }
    });
  },
  600_000,
);

async function run(...words: string[][]): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(words.flat());
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
}
