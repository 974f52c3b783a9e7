/** Shows an error, and what the visitor can do about it. */

import type { ReactNode } from "react";
import { MatchbookError } from "../../../client/src/index.ts";
import { askForKey, useKeyState, useSession } from "../session.ts";
import { Button } from "./button.tsx";
import { spanOf } from "./time.tsx";

interface Props {
  error: unknown;
  retry?: (() => void) | undefined;
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof MatchbookError && error.code === "not-found";

export function Problem({ error, retry }: Props) {
  if (!(error instanceof MatchbookError)) {
    return (
      <Notice title="Something went wrong" retry={retry}>
        <p>{error instanceof Error ? error.message : String(error)}</p>
      </Notice>
    );
  }
  const { kind, title, requestId, retryAfter } = error;
  if (kind === "unauthorized") return <InvalidKey requestId={requestId} />;
  if (kind === "network") {
    return (
      <Notice title="Can't reach the server" retry={retry}>
        <p>It may be restarting, or you may be offline. Nothing you entered is lost.</p>
      </Notice>
    );
  }
  const isFinal = kind === "invalid" || kind === "not-found";
  return (
    <Notice
      title={kind === "quota-exceeded" ? "Daily match limit reached" : title}
      requestId={requestId}
      retry={isFinal ? undefined : retry}
    >
      <Details error={error} />
      {/* The portal waits by itself only for the rate limit. */}
      {retryAfter !== undefined && <p>Try again in {spanOf(retryAfter)}.</p>}
    </Notice>
  );
}

function InvalidKey({ requestId }: { requestId: string | undefined }) {
  const { key } = useSession();
  const hasEnded = useKeyState() === "ended";
  return (
    <Notice title={key ? "This key isn't valid" : "API key required"} requestId={requestId}>
      <p>
        {!key && "Add your API key to see this page."}
        {key && hasEnded && "It worked before. It has expired, or the operator revoked it."}
        {key && !hasEnded && "It may be mistyped, expired or revoked."}
      </p>
      <Button look="main" onClick={() => askForKey()}>
        Enter an API key
      </Button>
    </Notice>
  );
}

/** Every problem in the response, with the parameter or header at fault. */
function Details({ error }: { error: MatchbookError }) {
  const problems = error.problems.length > 0 ? error.problems : [{ detail: error.detail }];
  return (
    <ul className="problem-list">
      {problems.map((problem) => {
        const about = "source" in problem ? sourceOf(problem.source) : undefined;
        // Most messages already name it.
        const isNamed = about === undefined || problem.detail?.includes(about);
        return (
          <li key={`${about} ${problem.detail}`}>
            {!isNamed && <code>{about}</code>} {problem.detail}
          </li>
        );
      })}
    </ul>
  );
}

const sourceOf = (source: object | undefined): string | undefined => {
  const named = source as { parameter?: string; header?: string } | undefined;
  return named?.parameter ?? named?.header;
};

interface NoticeProps extends Pick<Props, "retry"> {
  title: string;
  requestId?: string | undefined;
  children: ReactNode;
}

export function Notice({ title, requestId, retry, children }: NoticeProps) {
  return (
    <div className="notice notice-bad" role="alert">
      <p className="notice-title">{title}</p>
      <div className="notice-text">
        {children}
        {retry && <Button onClick={retry}>Try again</Button>}
      </div>
      {requestId && <p className="problem-id">Request ID: {requestId}</p>}
    </div>
  );
}
