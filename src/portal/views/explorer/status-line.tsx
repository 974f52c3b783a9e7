/** The status line of a response: status, time, size, ETag and remaining requests. */

import { MatchbookError, type Reply } from "../../../../client/src/index.ts";
import { Gauge } from "../../kit/gauge.tsx";

/** `response` is undefined until one arrives. */
export function StatusLine({
  response,
  error,
}: {
  response: Reply<unknown> | undefined;
  error: unknown;
}) {
  return (
    <div className="explorer-status">
      <div className="explorer-facts">
        <p className="explorer-facts" role="status">
          {error === undefined ? responseFacts(response) : errorFacts(error)}
        </p>
        {error === undefined && response?.etag && (
          <span className="explorer-tag" title={`ETag: ${response.etag}`}>
            ETag <code>{response.etag}</code>
          </span>
        )}
      </div>
      <Gauge />
    </div>
  );
}

function responseFacts(response: Reply<unknown> | undefined) {
  if (!response) return <span>No response yet</span>;
  const { status, milliseconds, text, fromCache } = response;
  return (
    <>
      <span className="explorer-good">
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
