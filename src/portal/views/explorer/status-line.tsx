/** The status line of a response: status, time, size, and what is left of the key's limits. */

import { MatchbookError, type Reply } from "../../../../client/src/index.ts";
import { Gauge } from "../../kit/gauge.tsx";
import { spanOf } from "../../kit/time.tsx";

/** `response` is undefined until one arrives. */
export function StatusLine({
  response,
  error,
}: {
  response: Reply<unknown> | undefined;
  error: unknown;
}) {
  const isOverQuota = error instanceof MatchbookError && error.kind === "quota-exceeded";
  return (
    <div className="row small explorer-status">
      <p className="row soft explorer-facts" role="status">
        {error === undefined ? responseFacts(response) : errorFacts(error)}
      </p>
      {isOverQuota ? <QuotaGauge error={error} /> : <Gauge />}
    </div>
  );
}

/** Requests are left, but no matches: the requests would be misleading. */
function QuotaGauge({ error }: { error: MatchbookError }) {
  return (
    <span className="gauge small soft">
      <span className="bar" aria-hidden="true" />
      <span className="gauge-label">
        Daily match quota used up
        {error.retryAfter !== undefined && `, resets in ${spanOf(error.retryAfter)}`}
      </span>
    </span>
  );
}

function responseFacts(response: Reply<unknown> | undefined) {
  if (!response) return <span>Loading…</span>;
  const { status, milliseconds, text, fromCache } = response;
  return (
    <>
      <span className="explorer-good" title={response.etag && `ETag: ${response.etag}`}>
        {status} {fromCache ? "Not Modified" : "OK"}
      </span>
      <span>{Math.round(milliseconds)} ms</span>
      <span>{sizeOf(text)}</span>
      {fromCache && <span>from browser cache</span>}
    </>
  );
}

function errorFacts(error: unknown) {
  const status = error instanceof MatchbookError ? error.status : 0;
  const code = error instanceof MatchbookError ? error.code : undefined;
  if (status === 0) return <span className="explorer-bad">No response</span>;
  return (
    <>
      <span className="explorer-bad">{status}</span>
      {code && <code>{code}</code>}
    </>
  );
}

function sizeOf(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
