/** The status line of a response: status, time, size, and what is left of the key's limits. */

import { MatchbookError, type Reply } from "../../../../client/src/index.ts";
import { Gauge } from "../../kit/gauge.tsx";
import { spanOf } from "../../kit/time.tsx";

interface Props {
  /** Undefined until one arrives. */
  response: Reply<unknown> | undefined;
  error: unknown;
}

export function StatusLine({ response, error }: Props) {
  const failure = error instanceof MatchbookError ? error : undefined;
  return (
    <div className="row small explorer-status">
      <p className="row soft explorer-facts" role="status">
        {error !== undefined ? (
          <>
            <span className="explorer-bad">{failure?.status || "No response"}</span>
            {failure?.code && <code>{failure.code}</code>}
          </>
        ) : response ? (
          <ResponseFacts {...response} />
        ) : (
          <span>Loading…</span>
        )}
      </p>
      {/* Requests are left, but no matches: the requests would be misleading. */}
      {failure?.kind === "quota-exceeded" ? (
        <span className="gauge small soft">
          Daily match quota used up, resets in {spanOf(failure.retryAfter ?? 0)}
        </span>
      ) : (
        <Gauge />
      )}
    </div>
  );
}

function ResponseFacts({ status, etag, milliseconds, text, fromCache }: Reply<unknown>) {
  return (
    <>
      <span className="explorer-good" title={etag && `ETag: ${etag}`}>
        {status} {fromCache ? "Not Modified" : "OK"}
      </span>
      <span>{Math.round(milliseconds)} ms</span>
      <span>{sizeOf(text)}</span>
      {fromCache && <span>from browser cache</span>}
    </>
  );
}

function sizeOf(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
