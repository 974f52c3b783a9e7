/**
 * POST /ingest: stores the records of a request body, and responds when all of them are stored. The thread reads the body,
 * and refuses what is damaged, truncated or too large (upload-worker.ts).
 */

import { isShardId } from "../domain/identifiers.ts";
import { emptyReport, isComplete } from "../ingest/report.ts";
import { type AdminQuery, jsonResponse } from "./endpoint.ts";
import { AdminError } from "./errors.ts";
import { invalid } from "./request.ts";
import type { AdminEndpoint } from "./service.ts";
import type { UploadOptions } from "./upload-thread.ts";

const ENCODINGS = ["identity", "gzip", "x-gzip", "zstd"];

export const uploadRecords: AdminEndpoint = async (service, { request, requestId, query }) => {
  const { uploads, shards, observe } = service;
  const options = { ...readOptions(query), existing: await shards.list() };
  checkEncoding(request.headers.get("content-encoding"));
  const { report, notStored, bytes, error, cause } = await uploads.store(request, options);
  const { withheld, released: _, ...counts } = report ?? emptyReport();
  const allWithheld = Object.values(withheld).reduce((sum, count) => sum + count, 0);
  const event = { ...counts, withheld: allWithheld, requestId, bytes, broken: error?.code };
  if (cause) observe({ event: "failure", requestId, error: cause });
  observe({ event: "upload", ...event });
  const details = { report, notStored };
  if (error) throw new AdminError(error.code, error.message, { details });
  if (report && isComplete(report)) return jsonResponse(200, details);
  const message = `Not stored: ${counts.rejected} rejected, ${counts.conflict} conflicting; see notStored. All other records are stored.`;
  throw new AdminError("records-not-stored", message, { details });
};

function readOptions({ shard, replace = "false" }: AdminQuery): Omit<UploadOptions, "existing"> {
  const problems: string[] = [];
  if (shard !== undefined && !isShardId(shard)) {
    problems.push('shard must be 1 to 32 characters from a-z, 0-9 and "-"');
  }
  if (replace !== "true" && replace !== "false") problems.push("replace must be true or false");
  if (problems.length > 0) throw invalid("query", problems);
  return { shard, replace: replace === "true" };
}

function checkEncoding(header: string | null): void {
  const encoding = header?.trim().toLowerCase() ?? "identity";
  if (ENCODINGS.includes(encoding)) return;
  throw new AdminError(
    "unsupported-encoding",
    `The content encoding ${JSON.stringify(encoding.slice(0, 40))} is not supported: send the body uncompressed, or as gzip or zstd.`,
    { headers: { "Accept-Encoding": "gzip, zstd" } },
  );
}
