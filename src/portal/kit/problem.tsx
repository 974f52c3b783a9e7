/** Shows an error, and what the visitor can do about it. */

import { type ReactNode, useEffect, useState } from "react";
import { MatchbookError } from "../../../client/src/index.ts";
import { askForKey, useSession } from "../session.ts";

interface Props {
  error: unknown;
  retry?: (() => void) | undefined;
}

export const isNotFound = (error: unknown): boolean =>
  error instanceof MatchbookError && error.code === "not-found";

export function Problem({ error, retry }: Props) {
  if (!(error instanceof MatchbookError)) return <Unexpected error={error} retry={retry} />;
  if (error.kind === "limited" || error.kind === "quota-exceeded")
    return <Limited error={error} retry={retry} />;
  if (error.kind === "unauthorized") return <InvalidKey error={error} />;
  if (error.kind === "network") {
    return (
      <Notice title="Can't reach the server">
        <p>It may be restarting, or you may be offline. Nothing you entered is lost.</p>
        <RetryButton retry={retry} />
      </Notice>
    );
  }
  return (
    <Notice title={error.title} requestId={error.requestId}>
      <Details error={error} />
      {error.kind !== "invalid" && error.kind !== "not-found" && <RetryButton retry={retry} />}
    </Notice>
  );
}

function InvalidKey({ error }: { error: MatchbookError }) {
  const { key, keyState } = useSession();
  const hasEnded = keyState === "ended";
  return (
    <Notice title={key ? "This key isn't valid" : "API key required"} requestId={error.requestId}>
      <p>
        {!key && "Add your API key to see this page."}
        {key && hasEnded && "It worked before. It has expired, or the operator revoked it."}
        {key && !hasEnded && "It may be mistyped, expired or revoked."}
      </p>
      <button type="button" className="button button-main" onClick={() => askForKey()}>
        Enter an API key
      </button>
    </Notice>
  );
}

/** Counts down the Retry-After time, then lets the visitor try again. */
function Limited({ error, retry }: { error: MatchbookError; retry?: (() => void) | undefined }) {
  const left = useCountdown(error.retryAfter ?? 0, error);
  const title = error.kind === "limited" ? error.title : "Daily match limit reached";
  return (
    <Notice title={title} requestId={error.requestId}>
      <Details error={error} />
      {left > 0 ? (
        // role="timer", so that screen readers do not announce the alert every second.
        <p className="problem-wait" role="timer">
          Try again in <strong>{inWords(left)}</strong>.
        </p>
      ) : (
        <RetryButton retry={retry} />
      )}
    </Notice>
  );
}

function Unexpected({ error, retry }: Props) {
  return (
    <Notice title="Something went wrong">
      <p>{error instanceof Error ? error.message : String(error)}</p>
      <RetryButton retry={retry} />
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

function RetryButton({ retry }: { retry?: (() => void) | undefined }) {
  if (!retry) return null;
  return (
    <button type="button" className="button" onClick={retry}>
      Try again
    </button>
  );
}

function Notice({
  title,
  requestId,
  children,
}: {
  title: string;
  requestId?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className="notice notice-bad" role="alert">
      <p className="notice-title">{title}</p>
      <div className="notice-text">{children}</div>
      {requestId && <p className="problem-id">Request ID: {requestId}</p>}
    </div>
  );
}

function useCountdown(seconds: number, restartOn: unknown): number {
  const [left, setLeft] = useState(seconds);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new error restarts the countdown.
  useEffect(() => {
    const end = Date.now() + seconds * 1000;
    const count = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    count();
    const timer = setInterval(count, 250);
    return () => clearInterval(timer);
  }, [seconds, restartOn]);
  return left;
}

function inWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 90) return `${minutes} minutes`;
  return `${Math.ceil(minutes / 60)} hours`;
}
