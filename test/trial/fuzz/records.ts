/**
 * Fuzzes ingest: what is accepted is served as it was sent, whatever the order, batches and compression; what is
 * rejected has readable reasons and is not stored; an export holds the same records.
 */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../../src/domain/json.ts";
import type { Report } from "../../../src/ingest/report.ts";
import { recordsIn } from "../../../src/ingest/report.ts";
import { difference, expectedOf } from "../../model/question.ts";
import { Questions } from "../../model/questions.ts";
import type { Thing } from "../../model/record.ts";
import { State } from "../../model/state.ts";
import { type AdminWorld, startAdminWorld } from "../../support/admin.ts";
import { addEmptyShard } from "../../support/empty-shard.ts";
import { getAs, type Ingested, startWorld, type World } from "../../support/world.ts";
import { Complaint, type Target } from "./campaign.ts";
import { type RecordCase, recordFile } from "./record-grammar.ts";
import { brokenRule, Undecided } from "./record-rules.ts";
import {
  aStore,
  type Contents,
  contentsOf,
  ingestFile,
  NOW,
  pieces,
  type Store,
} from "./stores.ts";
import { SOUND, WRAPPINGS, type Wrapping, wrapped } from "./wrapping.ts";

const SHARD = "na";

/** What the oracle decided, in `seen`. */
export const VALID = "a valid match";
export const INVALID = "an invalid match";
export const COMPARED = "a served match";

/**
 * Many cases are uploaded to one server, because the start of the thread that stores uploads takes longer than a case. Not
 * all: it keeps the files open that were replaced.
 */
const CASES_OF_A_SERVER = 100;

export function recordTarget(
  tamper = (file: Buffer) => file,
): Target<RecordCase> & { stop(): Promise<void> } {
  let uploaded: AdminWorld | undefined;
  let cases = 0;
  /** A server with the empty shard. */
  const forUploads = async () => {
    if (cases++ % CASES_OF_A_SERVER === 0 || !uploaded) {
      await uploaded?.stop();
      uploaded = await startAdminWorld([], { batch: "1" });
    }
    for (const end of ["", "-wal", "-shm"]) {
      rmSync(join(uploaded.data, `${SHARD}.db${end}`), { force: true });
    }
    await addEmptyShard(uploaded.data, SHARD);
    return uploaded;
  };
  return {
    kind: "records",
    generate: recordFile,
    write: ({ text, wrapping }) => (wrapping === "plain" ? text : `# ${wrapping}\n${text}`),
    read(file) {
      const [, word] = /^# ([\w-]+)\n/.exec(file) ?? [];
      const wrapping = WRAPPINGS.find((one) => one === word);
      if (!wrapping) return { text: file, wrapping: "plain" };
      return { text: file.slice(file.indexOf("\n") + 1), wrapping };
    },
    async check(one) {
      const stores: Store[] = [];
      const store = async () => {
        const made = await aStore();
        stores.push(made);
        return made;
      };
      const world = await startWorld();
      await addEmptyShard(world.data, SHARD);
      try {
        return await checked(one, world, await forUploads(), store, tamper);
      } finally {
        await world.stop();
        for (const made of stores) made.remove();
      }
    },
    stop: async () => uploaded?.stop(),
  };
}

async function checked(
  { text, wrapping }: RecordCase,
  world: World,
  uploaded: AdminWorld,
  store: () => Promise<Store>,
  tamper: (file: Buffer) => Buffer,
): Promise<string[]> {
  const file = tamper(wrapped(text, wrapping));
  const taken = await ingestFile(world, file);
  const contents = await contentsOf(world, SHARD);
  // A change of the only shardId; the stores below have one shard.
  if (hasOtherShard(world.data)) return ["another shard"];
  checkReport(taken, contents);
  const verdicts = wrapping === "plain" ? checkVerdicts(text, contents, taken) : [];
  const sent = matchesIn(text);
  const compared = await checkServed(world, contents, sent);

  // Elsewhere: uploaded in small pieces, stored in small batches, compressed in another way.
  const isSound = SOUND.includes(wrapping);
  const other: Wrapping = isSound ? SOUND[(text.length + 1) % SOUND.length]! : wrapping;
  const body = pieces(wrapped(text, other), 7 + (text.length % 90));
  const { status, report, error } = await uploaded.upload(body as never);
  if (status >= 500) throw new Complaint(`the upload got ${status} ${JSON.stringify(error)}`);
  if (isSound && !Bun.deepEquals(counts(taken.report), counts(report))) {
    throw new Complaint(
      `another report with ${other}, by an upload\n${JSON.stringify([taken.report, report, error])}`,
    );
  }
  if (isSound) await checkDigest(uploaded, contents, `an upload with ${other}`);

  const seen = [...seenIn(taken, wrapping), ...verdicts, ...compared];
  if (contents.exported.length === 0) return seen;

  // Each stored document alone, the last one first.
  const reversed = await store();
  for (const { data } of contents.exported.toReversed()) {
    const document = sent.get(data.id as string);
    if (document) await ingestFile(reversed, Buffer.from(JSON.stringify(document)));
  }
  const isKnown = contents.exported.every(({ data }) => sent.has(data.id as string));
  if (isKnown) await checkDigest(reversed, contents, "the reverse order");

  const restored = await store();
  const lines = contents.exported.map((document) => `${JSON.stringify(document)}\n`).join("");
  await ingestFile(restored, Buffer.from(lines));
  await checkDigest(restored, contents, "an ingest of the export");
  return seen;
}

const hasOtherShard = (data: string) =>
  readdirSync(data).some((name) => name.endsWith(".db") && name !== `${SHARD}.db`);

/** Undefined if it is nested too deeply. */
function written(document: JsonObject): string | undefined {
  try {
    return JSON.stringify(document);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Compares what was kept with the rules, for files of which every line is a document. Only lines that JSON.parse reads
 * without loss: others are not UTF-8, or have repeated members or inexact numbers.
 */
function checkVerdicts(text: string, { fates }: Contents, { rejections }: Ingested): string[] {
  const verdicts: string[] = [];
  const decoded = Buffer.from(text, "latin1").toString();
  if (Buffer.from(decoded).toString("latin1") !== text) return verdicts;
  const lines = decoded.split("\n").filter(Boolean);
  const documents = lines.map((line) => (parsed(line)?.[0] ?? {}) as JsonObject);
  if (documents.some((document, at) => written(document) !== lines[at])) return verdicts;
  const ids = documents.flatMap(({ data }) => data ?? []).map((match) => (match as Thing)?.id);
  for (const { data, included } of documents) {
    if (!isObject(data as Json) || !Array.isArray(included)) continue;
    const { id } = data as JsonObject;
    if (typeof id !== "string" || ids.indexOf(id) !== ids.lastIndexOf(id)) continue;
    let rule: string | undefined;
    try {
      rule = brokenRule(data as JsonObject, included as JsonObject[], NOW);
    } catch (error) {
      if (error instanceof Undecided) continue;
      throw error;
    }
    if (fates.has(id) !== (rule === undefined)) {
      const reasons = rejections.flatMap(({ problems }) => problems);
      throw new Complaint(
        rule === undefined
          ? `a valid match was rejected\n${id}: ${reasons.join("\n")}`
          : `an invalid match was accepted\n${id}: ${rule}`,
      );
    }
    verdicts.push(rule === undefined ? VALID : INVALID);
  }
  return verdicts;
}

/** Which reasons there were, without what they quote. */
function seenIn({ report, rejections }: Ingested, wrapping: Wrapping): string[] {
  const kinds = Object.entries(counts(report)).filter(([, count]) => count > 0);
  const reasons = rejections.flatMap(({ problems }) => problems);
  return [
    wrapping,
    ...kinds.map(([kind]) => kind),
    ...reasons.map((reason) =>
      reason
        .replace(/^\S+ \S+: /, "")
        .replaceAll(/"[^"]*"|\d+|\S*[^\x20-\x7e]\S*/g, "…")
        .slice(0, 50),
    ),
  ];
}

function counts({ withheld, ...rest }: Report): Record<string, number> {
  // Batches decide whether a private match is withheld first and then released.
  const { stored, released: _, ...others } = rest;
  const kept = Object.values(withheld).reduce((sum, count) => sum + count, stored);
  return { kept, ...others };
}

function checkReport({ report, rejections }: Ingested, { exported, fates }: Contents): void {
  if (report.rejected !== rejections.length) {
    throw new Complaint(`${report.rejected} rejected, but reasons for ${rejections.length}`);
  }
  for (const { problems } of rejections) {
    if (problems.length === 0 || !problems.every(isReadable)) {
      throw new Complaint(`an unreadable reason: ${JSON.stringify(problems)}`);
    }
  }
  const { kept } = counts(report);
  if (exported.length !== kept || fates.size !== kept) {
    throw new Complaint(
      `${kept} of ${recordsIn(report)} records kept, but ${exported.length} exported`,
    );
  }
}

/** Four hundred characters, every one of them written as an escape. */
const LONGEST_REASON = 2400;

/** One line of reasonable length, without terminal control characters. */
const isReadable = (reason: string): boolean =>
  reason.length >= 8 &&
  reason.length <= LONGEST_REASON &&
  !/\p{Cc}|\p{Cs}|[\u2028-\u202e\u2066-\u2069]/u.test(reason);

async function checkDigest(
  store: Pick<Store, "settings">,
  { digest }: Contents,
  how: string,
): Promise<void> {
  const other = await contentsOf(store, SHARD);
  if (other.digest !== digest) throw new Complaint(`another digest after ${how}`);
}

/** The matches of a file as far as JSON.parse reads it, each as its own document, unless several have the same id. */
function matchesIn(text: string): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const ambiguous = new Set<string>();
  const plain = Buffer.from(text, "latin1")
    .toString()
    .replace(/^\ufeff/, "");
  const values = parsed(plain) ?? plain.split(/\n/).flatMap((line) => parsed(line) ?? []);
  for (const { data, included } of values.flat(2).filter(isObject)) {
    const resources = Array.isArray(included) ? included.filter(isObject) : [];
    for (const match of [data ?? []].flat() as JsonObject[]) {
      const id = match?.id;
      if (typeof id !== "string") continue;
      const document = { data: match, included: linkedFrom(match, resources) };
      if (found.has(id) && !Bun.deepEquals(found.get(id), document)) ambiguous.add(id);
      found.set(id, document);
    }
  }
  for (const id of ambiguous) found.delete(id);
  return found;
}

function parsed(text: string): Json[] | undefined {
  try {
    const value: Json = JSON.parse(text);
    return [value ?? {}];
  } catch {
    return undefined;
  }
}

/** What a match links to, directly or through others: a document with several matches has more. */
function linkedFrom(match: JsonObject, included: readonly JsonObject[]): JsonObject[] {
  const found = new Set([match]);
  for (const one of found) {
    const keys = new Set(
      Object.values((one.relationships ?? {}) as Record<string, { data?: Json } | null>)
        .flatMap((relationship) => relationship?.data ?? [])
        .map((reference) => JSON.stringify([(reference as Thing)?.type, (reference as Thing)?.id])),
    );
    for (const other of included) {
      if (keys.has(JSON.stringify([other?.type, other?.id]))) found.add(other);
    }
  }
  return [...found].slice(1);
}

/** Compares every stored match with the reference, which is built from what was sent. */
async function checkServed(
  world: World,
  { exported, fates }: Contents,
  sent: ReadonlyMap<string, JsonObject>,
): Promise<string[]> {
  const compared: string[] = [];
  const ids = exported.map(({ data }) => data.id as string);
  const known = ids.flatMap((id) => sent.get(id) ?? []);
  const isWhole = known.length === ids.length;
  const reference = isWhole ? State.of(known as Thing[], "matchbook") : undefined;
  for (const id of ids) {
    const { status, body } = await getAs(world, `/shards/${SHARD}/matches/${id}`);
    const expected = fates.get(id) === "served" ? 200 : 404;
    if (status !== expected) throw new Complaint(`${id} is ${fates.get(id)}, but has ${status}`);
    if (!reference) continue;
    const [right] = expectedOf(Questions.single(id, "match by id"), reference, body);
    // JSON has no minus zero.
    const plain = JSON.parse(JSON.stringify(right));
    const differs = difference(plain, status, body);
    if (differs !== undefined) {
      const shown = [plain, body].map((one) => JSON.stringify(one).slice(0, 1500));
      throw new Complaint(`match ${id}: ${differs}\nexpected ${shown[0]}\nserved ${shown[1]}`);
    }
    if (status !== 200) continue;
    compared.push(COMPARED);
  }
  await checkPages(world, reference);
  return compared;
}

/** The collections can be paged from end to end. */
async function checkPages(world: World, reference: State | undefined): Promise<void> {
  const ids: string[] = [];
  let path: string | undefined =
    `/shards/${SHARD}/matches?filter[createdAt-start]=0000-01-01T00:00:00Z&page[limit]=2`;
  while (path !== undefined) {
    const { status, body } = await getAs(world, path);
    if (status !== 200) throw new Complaint(`a page has ${status}: ${JSON.stringify(body)}`);
    ids.push(...(body.data as Thing[]).map(({ id }) => id as string));
    path = (body.links as Record<string, string>).next?.slice(world.url.length);
  }
  if (reference && !Bun.deepEquals(ids, reference.servedIds)) {
    throw new Complaint(`the pages have ${ids} instead of ${reference.servedIds}`);
  }
  const { status } = await getAs(world, `/shards/${SHARD}/players`);
  if (status !== 200) throw new Complaint(`the players have ${status}`);
}
