/** Generates small files that expand enormously: gzip bombs, and documents that grow when expanded. */

import { constants, deflateRawSync, gzipSync } from "node:zlib";
import { aMatch, anId, duel, type MatchDocument } from "../support/records.ts";

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty last block. The checksum after it is wrong, but never reached. */
const GZIP_END = Buffer.from([0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const PIECE = 16 * 1024 * 1024;

/** A few megabytes of gzip that inflate to `start` and then this many bytes of one character. */
export function gzipBomb(start: string, character: string, bytes: number): Buffer {
  const piece = (plain: Buffer) => deflateRawSync(plain, { finishFlush: constants.Z_FULL_FLUSH });
  const filling = piece(Buffer.alloc(PIECE, character));
  const pieces = Array.from({ length: Math.ceil(bytes / PIECE) }, () => filling);
  return Buffer.concat([GZIP_HEADER, piece(Buffer.from(start)), ...pieces, GZIP_END]);
}

/** This many valid records, each with a long text that compresses to almost nothing. */
export function balloons(count: number, bytes: number): Buffer {
  const attributes = { text: "balloon ".repeat(bytes / 8) };
  return Buffer.concat(
    Array.from({ length: count }, () => {
      const rosters = duel({ id: anId("player"), attributes }, { id: anId("player") });
      return gzipSync(`${JSON.stringify(aMatch({ rosters }))}\n`, { level: 1 });
    }),
  );
}

type Loose = Record<string, unknown> & { type: string; id: string };

const reference = (type: string) => (at: number) => ({ type, id: `${type}-${at}` });

/** A valid record except for one change. */
function record(change: (document: MatchDocument) => void): string {
  const document = aMatch();
  change(document);
  return JSON.stringify(document);
}

const link = (from: unknown, name: string, data: unknown): void => {
  const resource = from as { relationships?: object };
  resource.relationships = { ...resource.relationships, [name]: { data } };
};

const many = <T>(length: number, make: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => make(at));

/**
 * Documents of a few megabytes that would take a disproportionate amount of memory or time, each with the
 * reason it is rejected for.
 */
export const UNFOLDING: readonly [name: string, reason: RegExp, make: () => string][] = [
  [
    "one resource, repeated a hundred thousand times",
    /asset\/asset-0 appears more than once/,
    () =>
      record(({ included }) => {
        for (let at = 0; at < 100_000; at++) included.push(reference("asset")(0));
      }),
  ],
  [
    "fifty thousand resources that nothing links to",
    /and \d+ more/,
    () => record(({ included }) => void included.push(...many(50_000, reference("asset")))),
  ],
  [
    "the same roster fifty thousand times, each time with the same fifty thousand participants",
    /two rosters|more than \d+ references/,
    () =>
      record(({ data, included }) => {
        const [roster] = included.filter(({ type }) => type === "roster");
        const [seat] = included.filter(({ type }) => type === "participant");
        const { type, id } = seat as Loose;
        link(
          roster,
          "participants",
          many(50_000, () => ({ type, id })),
        );
        const again = { type: "roster", id: roster!.id };
        link(
          data,
          "rosters",
          many(50_000, () => again),
        );
      }),
  ],
  [
    "two thousand players, each with the same chain of two thousand resources",
    /more than \d+ references/,
    () =>
      record(({ data, included }) => {
        const assets = many(2000, reference("asset"));
        for (const [at, asset] of assets.entries()) link(asset, "next", reference("asset")(at + 1));
        const players = many(2000, (at) => ({
          ...reference("player")(at),
          attributes: { name: `p${at}` },
        }));
        for (const player of players) link(player, "assets", reference("asset")(0));
        link(data, "watchers", many(2000, reference("player")));
        included.push(...assets, ...(players as unknown as typeof included));
      }),
  ],
  [
    "a thousand players that share a resource of a megabyte",
    /copies .*\d+ bytes/,
    () =>
      record(({ data, included }) => {
        included.push({ type: "asset", id: "big", attributes: { text: "x".repeat(1 << 20) } });
        for (let at = 0; at < 1000; at++) {
          const player = { ...reference("player")(at), attributes: { name: `p${at}` } };
          link(player, "asset", { type: "asset", id: "big" });
          included.push(player as unknown as (typeof included)[number]);
        }
        link(data, "watchers", many(1000, reference("player")));
      }),
  ],
  [
    "a thousand matches that share a resource of a megabyte",
    /copies .*\d+ bytes/,
    () => {
      const matches = many(1000, () => aMatch());
      const big = { type: "asset", id: "big", attributes: { text: "x".repeat(1 << 20) } };
      for (const { data } of matches) link(data, "asset", { type: "asset", id: "big" });
      return JSON.stringify({
        data: matches.map(({ data }) => data),
        included: [big, ...matches.flatMap(({ included }) => included)],
      });
    },
  ],
  [
    "millions of matches that are none",
    /4000001 matches.*10000/,
    () => `{"data":[${"0,".repeat(4_000_000)}0]}`,
  ],
  [
    "millions of documents that are none, in a list on one line",
    /4000001 matches.*10000/,
    () => `{"data":null}\n[${"0,".repeat(4_000_000)}0]`,
  ],
  [
    "a list nested millions of levels deep",
    /nested too deeply/,
    () => `{"data":${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}}`,
  ],
  [
    "a list nested millions of levels deep that is never closed",
    /nested too deeply|JSON/,
    () => `{"data":${"[".repeat(8_000_000)}`,
  ],
  [
    "documents inside each other, none of which ends",
    /nested too deeply|JSON/,
    () => `[${'{"data":{},"included":['.repeat(400_000)}`,
  ],
  [
    "documents inside each other that all end, but for the first one",
    /JSON/,
    () => `[${'{"data":{},"included":['.repeat(450)}${" ".repeat(8_000_000)}${"]}".repeat(449)}`,
  ],
  [
    "millions of strings that break off",
    /truncated/,
    () => `[{"data":${'"\n\\"{"x'.repeat(1_500_000)}`,
  ],
  [
    "a hundred thousand numbers that are too large",
    /and \d+ more/,
    () =>
      record(({ data }) => {
        (data.attributes as Record<string, unknown>).numbers = many(100_000, () => 1e300);
      }),
  ],
  [
    "a member whose name is a megabyte long, a hundred times wrong",
    /\S/,
    () =>
      record(({ data }) => {
        const long = "n".repeat(1 << 20);
        (data.attributes as Record<string, unknown>)[long] = many(100, () => 1e300);
      }),
  ],
];
