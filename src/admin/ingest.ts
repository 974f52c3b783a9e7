/**
 * In charge of POST /ingest: records come in as a stream, and what became of each goes out as a
 * stream, at the same time. Neither waits for the other, and neither is held in memory.
 */

import { isShardId } from "../domain/identifiers.ts";
import { emptyReport, type Report } from "../ingest/report.ts";
import { type Broken, CONNECTION_CUT, muchUnread, ourFault, tooLarge } from "./broken.ts";
import type { Stored, Wishes } from "./crossing.ts";
import { invalidQuery, readQuery } from "./query.ts";
import { AdminRefusal, SOON } from "./refusal.ts";
import { replyStream } from "./reply-stream.ts";
import type { AdminCall, AdminEndpoint, AdminService } from "./service.ts";
import type { Upload } from "./uploads.ts";

const ENCODINGS = ["identity", "gzip", "x-gzip"];

/** Lines that nobody reads take room on the disk, which must have an end. */
const MOST_UNREAD_BYTES = 512 << 20;

export const takeUpload: AdminEndpoint = async (service, call) => {
  const wishes = readWishes(call.query);
  const { uploads } = service;
  checkHead(call.request, uploads.options.most);
  const upload = uploads.enter(call.request.body);
  const lines = Promise.withResolvers<void>();
  const storing = store(service, call, upload, wishes, lines.resolve).finally(upload.stored);
  const early = await soonest(storing, lines.promise);
  if (early?.code === "shard-unavailable") {
    upload.leave();
    throw notNow();
  }
  const reply = { status: 200, contentType: "application/x-ndjson" };
  if (call.request.signal.aborted) {
    return { ...reply, body: "", ended: storing.then(() => upload.leave()) };
  }
  const reading = Promise.withResolvers<void>();
  const body = replyStream(upload, storing, uploads.options.patienceMs, reading.resolve);
  const ended = Promise.all([storing, reading.promise]).then(() => upload.leave());
  return { ...reply, body, ended };
};

/** A sender that takes its time is told that all is well so far. */
const STATUS_AFTER_MS = 10_000;

/**
 * Why an upload broke off, if it did so before anything could be told of any record. As long as that is
 * so, the status of the reply can still say it.
 */
async function soonest(
  storing: Promise<Broken | undefined>,
  lines: Promise<void>,
): Promise<Broken | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STATUS_AFTER_MS);
  });
  const first = await Promise.race([lines, late, storing]);
  clearTimeout(timer);
  return first ?? undefined;
}

const notNow = () =>
  new AdminRefusal(
    "shard-unavailable",
    "The database of a shard is away (the log tells which), and nothing of this upload is known to be stored: send it again in a few seconds.",
    { headers: SOON },
  );

function readWishes(query: string): Wishes {
  const { shard, replace = "false" } = readQuery(query, ["shard", "replace"]);
  const problems: string[] = [];
  if (shard !== undefined && !isShardId(shard)) {
    problems.push('shard must be 1 to 32 of a-z, 0-9 and "-"');
  }
  if (replace !== "true" && replace !== "false") problems.push("replace must be true or false");
  if (problems.length > 0) throw invalidQuery(problems);
  return { shard, replace: replace === "true" };
}

function checkHead({ headers }: Request, most: number): void {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (!ENCODINGS.includes(encoding)) {
    throw new AdminRefusal(
      "unsupported-encoding",
      `The body is sent as ${JSON.stringify(encoding.slice(0, 40))}: send it plain or as gzip.`,
      { headers: { "Accept-Encoding": "gzip" } },
    );
  }
  if (Number(headers.get("content-length")) > most) {
    throw new AdminRefusal("body-too-large", tooLarge(most).message);
  }
}

/**
 * Takes in what comes and tells of it, to the end or to where it breaks off: then says why. `onFirst` is
 * called when there is something to tell. Never rejects.
 */
async function store(
  { uploads, observe }: AdminService,
  { request, requestId }: AdminCall,
  { intake, spool }: Upload,
  wishes: Wishes,
  onFirst: () => void,
): Promise<Broken | undefined> {
  request.signal.addEventListener("abort", () => intake.break(CONNECTION_CUT));
  const onLines = (text: string) => {
    spool.append(text);
    onFirst();
    if (spool.unread > MOST_UNREAD_BYTES) intake.break(muchUnread(MOST_UNREAD_BYTES));
  };
  let stored: Stored;
  try {
    stored = await uploads.thread.store(wishes, intake, onLines);
  } catch (error) {
    stored = { report: emptyReport(), error: error as Error };
  }
  const { report, error } = stored;
  if (error) observe({ event: "failure", requestId, error });
  const broken = stored.broken ?? (error && ourFault(requestId));
  spool.end(`${JSON.stringify(broken ? { error: broken, report } : { report })}\n`);
  observe({ ...summary(report), requestId, bytes: intake.size, broken: broken?.code });
  await intake.release();
  return broken;
}

function summary(report: Report) {
  const { withheld, released: _, ...counts } = report;
  const all = Object.values(withheld).reduce((sum, count) => sum + count, 0);
  return { event: "upload", ...counts, withheld: all } as const;
}
