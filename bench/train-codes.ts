/**
 * In charge of making src/document/trained.ts: codes that suit the fragments of demo matches.
 *
 *     node_modules/.bin/bun bench/train-codes.ts
 *
 * It takes a minute or two, and gives the same file each time, as long as the demo data, the form of
 * fragments and the search for matches stay as they are. Codes that suit less well only cost bytes;
 * pieces that were written with older ones can still be read.
 */

import { demoDocuments } from "../src/demo/demo.ts";
import { Random } from "../src/demo/random.ts";
import { canonicalList, canonicalResource } from "../src/document/canonical.ts";
import { LONGEST_DISTANCE_CODE, LONGEST_LITERAL_CODE } from "../src/document/deflate-bits.ts";
import { HeaderPlan } from "../src/document/deflate-codes.ts";
import {
  distanceCounts,
  findMatches,
  LONGEST_TEXT,
  literalCounts,
} from "../src/document/deflate-matches.ts";
import { END_OF_BLOCK } from "../src/document/deflate-symbols.ts";
import { codeLengths } from "../src/document/huffman.ts";
import type { JsonObject, Resource } from "../src/domain/json.ts";

const UNTIL = Date.UTC(2026, 0, 1);
const MATCHES = 2000;
const SEED = 4242;
/** A symbol that was never seen is taken to be in one text of so many, so that it gets a code. */
const RARE = 1 / 20;
const STEPS = 2_000_000;

interface Counts {
  literals: Float64Array;
  distances: Float64Array;
}

interface Lengths {
  literals: Uint8Array;
  distances: Uint8Array;
}

type Kind = "match" | "player" | "included" | "carried";

/** The demo's documents are taken as they are: what ingest changes about them is little. */
function* fragments(): Generator<[Kind, string]> {
  for (const document of demoDocuments({ matches: MATCHES, seed: SEED, until: UNTIL })) {
    const included = document.included as unknown as Resource[];
    const players = included.filter(({ type }) => type === "player");
    const teams = included.filter(({ type }) => type === "team");
    const own = included.filter(({ type }) => type !== "player" && type !== "team");
    yield ["match", canonicalResource(document.data as unknown as Resource)];
    yield ["included", canonicalList(own)];
    yield ["carried", `{"players":[${players.map(written)}],"teams":[${teams.map(written)}]}`];
    for (const player of players) yield ["player", canonicalResource(completed(player))];
  }
}

function written(resource: Resource): string {
  return `{"id":${JSON.stringify(resource.id)},"carried":${canonicalResource(resource)},"companions":[]}`;
}

const chance = new Random(SEED);

/** A player with what matches add up to: any plausible numbers will do here. */
function completed(player: Resource): Resource {
  const played = chance.int(1, 300);
  const run = chance.int(1, 5);
  const hasWon = chance.chance(0.5);
  const stats = {
    ...(player.attributes.stats as JsonObject),
    played,
    wins: chance.int(0, played),
    played_ranked: chance.int(0, played),
    lifetimeGold: chance.int(played * 5000, played * 12000) + (hasWon ? 0.5 : 0),
    winStreak: hasWon ? run : 0,
    lossStreak: hasWon ? 0 : run,
  };
  return { ...player, attributes: { ...player.attributes, stats } };
}

const isPrintable = (symbol: number) => symbol >= 32 && symbol < 127;
const isWide = (plain: Uint8Array) => plain.some((byte) => !isPrintable(byte));

/** How often each symbol occurs in a text, on average. */
function average(texts: Uint8Array[], wide: boolean): Counts {
  const literals = new Float64Array(literalCounts.length);
  const distances = new Float64Array(distanceCounts.length);
  for (const text of texts) {
    findMatches(text);
    literalCounts.forEach((count, symbol) => {
      literals[symbol]! += count / texts.length;
    });
    distanceCounts.forEach((count, symbol) => {
      distances[symbol]! += count / texts.length;
    });
  }
  const isPossible = (symbol: number) => wide || symbol >= END_OF_BLOCK || isPrintable(symbol);
  return {
    literals: literals.map((count, symbol) => (isPossible(symbol) ? Math.max(count, RARE) : 0)),
    distances: distances.map((count) => Math.max(count, RARE)),
  };
}

const header = new HeaderPlan();

function huffman(counts: Float64Array, longest: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  codeLengths(
    Int32Array.from(counts, (count) => Math.ceil(count * 1000)),
    longest,
    lengths,
  );
  return lengths;
}

/**
 * Looks for the lengths with which header and text together are shortest. It begins with Huffman's,
 * which are the best for the text alone, and changes a few of them at a time, so that the code stays
 * complete. A change for the worse may be kept, less and less often: simulated annealing.
 */
function search(counts: Counts): Lengths {
  const random = new Random(SEED);
  const lengths = {
    literals: huffman(counts.literals, LONGEST_LITERAL_CODE),
    distances: huffman(counts.distances, LONGEST_DISTANCE_CODE),
  };
  const symbols = {
    literals: [...lengths.literals.keys()].filter((symbol) => lengths.literals[symbol]! > 0),
    distances: [...lengths.distances.keys()],
  };
  let textBits =
    lengths.literals.reduce((sum, length, symbol) => sum + length * counts.literals[symbol]!, 0) +
    lengths.distances.reduce((sum, length, symbol) => sum + length * counts.distances[symbol]!, 0);
  let bits = textBits + header.plan(lengths.literals, lengths.distances);
  let best = { bits, literals: lengths.literals.slice(), distances: lengths.distances.slice() };

  for (let step = 0; step < STEPS; step++) {
    const heat = 6 * (1 - step / STEPS) ** 2 + 0.01;
    const part = random.unit() < 0.2 ? "distances" : "literals";
    const longest = part === "literals" ? LONGEST_LITERAL_CODE : LONGEST_DISTANCE_CODE;
    const changes = change(lengths[part], symbols[part], longest, random);
    let textChange = 0;
    for (const { symbol, length } of changes) {
      textChange += counts[part][symbol]! * (length - lengths[part][symbol]!);
    }
    const before = changes.map(({ symbol }) => lengths[part][symbol]!);
    for (const { symbol, length } of changes) lengths[part][symbol] = length;
    const now = textBits + textChange + header.plan(lengths.literals, lengths.distances);
    if (now <= bits || random.unit() < Math.exp((bits - now) / heat)) {
      bits = now;
      textBits += textChange;
      if (bits < best.bits) {
        best = { bits, literals: lengths.literals.slice(), distances: lengths.distances.slice() };
      }
    } else {
      changes.forEach(({ symbol }, index) => {
        lengths[part][symbol] = before[index]!;
      });
    }
  }
  return best;
}

interface Change {
  symbol: number;
  length: number;
}

/** Any change after which the codes still use up exactly the bits there are. */
function change(lengths: Uint8Array, symbols: number[], longest: number, random: Random): Change[] {
  const pick = (from: number[]) => from[Math.floor(random.unit() * from.length)]!;
  const one = pick(symbols);
  const length = lengths[one]!;
  const kind = random.unit();
  if (kind < 0.5) {
    // Two symbols change places; often one of them then has the length of its neighbour.
    const neighbour = symbols[symbols.indexOf(one) + (kind < 0.25 ? 1 : -1)] ?? one;
    const wanted = lengths[random.unit() < 0.7 ? neighbour : pick(symbols)]!;
    const other = pick(symbols.filter((symbol) => lengths[symbol] === wanted));
    return [
      { symbol: one, length: wanted },
      { symbol: other, length },
    ];
  }
  // One code a bit longer makes room for two that are a bit shorter, or the other way round.
  const [to, from] = kind < 0.75 ? [length + 1, length + 2] : [length - 1, length];
  const others = symbols.filter((symbol) => symbol !== one && lengths[symbol] === from);
  if (others.length < 2 || to < 1 || to > longest || (kind >= 0.75 && from + 1 > longest))
    return [];
  const second = pick(others);
  const third = random.unit() < 0.5 ? others[others.indexOf(second) + 1] : pick(others);
  if (third === undefined || second === third) return [];
  const moved = kind < 0.75 ? from - 1 : from + 1;
  return [
    { symbol: one, length: to },
    { symbol: second, length: moved },
    { symbol: third, length: moved },
  ];
}

const texts: Record<Kind, Uint8Array[]> = { match: [], player: [], included: [], carried: [] };
for (const [kind, text] of fragments()) {
  const bytes = new Uint8Array(Buffer.from(text));
  if (bytes.length <= LONGEST_TEXT) texts[kind].push(bytes);
}
const plain = (kind: Kind) => texts[kind].filter((text) => !isWide(text));
const wide = (kind: Kind) => texts[kind].filter(isWide);

const TABLES = {
  match: average(plain("match"), false),
  player: average(plain("player"), false),
  included: average(plain("included"), false),
  carried: average(plain("carried"), false),
  widePlayer: average(wide("player"), true),
  wideCarried: average(wide("carried"), true),
};

const digits = (lengths: Uint8Array) => Array.from(lengths, (one) => one.toString(16)).join("");
const rows = Object.entries(TABLES).map(([name, counts]) => {
  const { literals, distances } = search(counts);
  return `  ${name}: [\n    "${digits(literals)}",\n    "${digits(distances)}",\n  ],`;
});

await Bun.write(
  new URL("../src/document/trained.ts", import.meta.url),
  `/**
 * In charge of the codes that were made before there was a text: trained with demo matches, which
 * are JSON like any other. Made by \`node_modules/.bin/bun bench/train-codes.ts\`, not by hand.
 *
 * Each has the lengths of the codes as hexadecimal digits, first for literals and lengths, then for
 * distances; 0 is no code. Wide ones have a code for every byte, the others for printable ASCII.
 */
export const TRAINED = {
${rows.join("\n")}
} as const;
`,
);
