/** The visitor's API key: the button in the footer, the key dialog, the masked key, and the demo server's offer. */

import "./key.css";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Matchbook, MatchbookError } from "../../client/src/index.ts";
import { Button } from "./kit/button.tsx";
import { type Load, useLoad } from "./kit/load.ts";
import { askForKey, type KeyState, showKey, useKeyState, useSession } from "./session.ts";

/** In code samples, for visitors without a key. */
const PLACEHOLDER = "YOUR_API_KEY";

/** Only the end of the key, so that nobody can read it over a shoulder. */
const masked = (key: string): string => `mb_••••${key.slice(-4)}`;

const isRejected = (state: KeyState): boolean => state === "invalid" || state === "ended";

/** What is true of a key in this state. */
const STATES: Readonly<Record<KeyState, string>> = {
  unchecked: "Checking the key…",
  valid: "This key works.",
  invalid: "This key isn't valid. It may be mistyped, expired or revoked.",
  ended: "This key worked before. It has expired, or the operator revoked it.",
  "over-quota": "This key has used up its matches for today.",
  "rate-limited": "This key has sent too many requests in a minute.",
};

/** The key as it is shown: masked unless the visitor asked to see it. A placeholder without a key. */
export function useShownKey(): string {
  const { key, isKeyShown } = useSession();
  if (key === undefined) return PLACEHOLDER;
  return isKeyShown ? key : masked(key);
}

/** The key, with the switch that shows or masks it everywhere. Nothing without a key. */
export function MaskedKey() {
  const { key, isKeyShown } = useSession();
  const shown = useShownKey();
  if (key === undefined) return null;
  return (
    <span className="row">
      <code className="masked-key">{shown}</code>
      <Button look="small" aria-pressed={isKeyShown} onClick={() => showKey(!isKeyShown)}>
        {isKeyShown ? "Hide key" : "Show key"}
      </Button>
    </span>
  );
}

export function KeyButton() {
  const { key } = useSession();
  const rejected = isRejected(useKeyState()) && key !== undefined;
  return (
    <Button
      look="small"
      className={`key-button${rejected ? " key-button-rejected" : ""}`}
      onClick={() => askForKey()}
    >
      {key ? (
        <>
          {rejected ? "Key rejected " : "Key "}
          <code>{masked(key)}</code>
        </>
      ) : (
        "Add API key"
      )}
    </Button>
  );
}

/** Shown on demo servers to visitors who need a key. */
export function Offer() {
  const { access, offeredKey, setKey } = useSession();
  if (!offeredKey || access !== "none") return null;
  return (
    <section className="row offer" aria-label="Demo key">
      <p>This is a demo server with sample matches. Try it with the demo key.</p>
      <Button look="main" onClick={() => setKey(offeredKey)}>
        Use the demo key
      </Button>
    </section>
  );
}

export function KeyDialog() {
  const { isAskingForKey } = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAskingForKey) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isAskingForKey]);
  return (
    <dialog
      ref={dialog}
      className="frame dialog"
      aria-labelledby="key-title"
      onClose={() => askForKey(false)}
    >
      {isAskingForKey && <KeyContent />}
    </dialog>
  );
}

/** The stored key and its state, or the form for a new one. */
function KeyContent() {
  const { key } = useSession();
  const [isReplacing, setReplacing] = useState(false);
  if (key === undefined || isReplacing) return <KeyForm />;
  return <StoredKey replace={() => setReplacing(true)} />;
}

function StoredKey({ replace }: { replace(): void }) {
  const { setKey } = useSession();
  const keyState = useKeyState();
  // Checked when the dialog opens: what a page learned earlier may be out of date.
  const usage = useLoad(undefined, (matchbook, signal) => matchbook.usage({ signal }));
  return (
    <div className="stack key-stored">
      <h2 id="key-title">Your API key</h2>
      <MaskedKey />
      <StoredKeyState usage={usage} />
      <p>It is stored in this browser and sent only to this server.</p>
      <div className="row">
        <Button look={isRejected(keyState) ? "main" : undefined} onClick={replace}>
          Replace key
        </Button>
        <Button onClick={() => setKey()}>Remove key</Button>
        <Button look="plain" onClick={() => askForKey(false)}>
          Close
        </Button>
      </div>
    </div>
  );
}

type Usage = Awaited<ReturnType<Matchbook["usage"]>>;

/** Whether the stored key works, by a request for its usage, and how much of its quota is left. */
export function StoredKeyState({ usage }: { usage: Load<Usage> }) {
  const keyState = useKeyState();
  const isUnreachable =
    usage.state === "failed" && !isRejected(keyState) && keyState !== "rate-limited";
  const today = usage.value?.today;
  // The session learns of the quota only when a request is refused.
  const state = today?.matchesLeft === 0 ? "over-quota" : keyState;
  const text = isUnreachable
    ? "Can't reach the server, so the key can't be checked."
    : STATES[state];
  return (
    <p
      className={`key-state${isRejected(state) ? " key-state-rejected" : ""}`}
      role="status"
      aria-busy={usage.state === "loading"}
    >
      {text}
      {today && ` ${quotaText(today)}`}
    </p>
  );
}

function quotaText({ matches, matchesLeft, resetSeconds }: Usage["today"]): string {
  if (matchesLeft === null) return "";
  const hours = Math.ceil(resetSeconds / 3600);
  const resets = `The quota resets in ${hours === 1 ? "an hour" : `${hours} hours`}.`;
  return matchesLeft === 0
    ? resets
    : `Matches today: ${matches.toLocaleString("en")} read, ${matchesLeft.toLocaleString("en")} left. ${resets}`;
}

function KeyForm() {
  const { access, key, setKey, offeredKey } = useSession();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isChecking, setChecking] = useState(false);
  const input = useId();
  const check = useRef(new AbortController());
  useEffect(() => () => check.current.abort(), []);

  const take = async (event: FormEvent) => {
    event.preventDefault();
    const { signal } = check.current;
    setChecking(true);
    const found = await problemWith(text.trim(), signal);
    // The visitor closed the dialog during the check: don't take the key.
    if (signal.aborted) return;
    setChecking(false);
    setProblem(found);
    if (found === undefined) setKey(text);
  };

  return (
    <form onSubmit={take} noValidate>
      <h2 id="key-title">Your API key</h2>
      <p>
        {access === "none"
          ? "You need a key to see matches and players."
          : "You can look around without a key. With one, you get its own limits."}{" "}
        It is stored in this browser and sent only to this server. No key yet? The operator can
        create one with <code>matchbook keys create</code>.
      </p>
      <label htmlFor={input}>API key</label>
      <input
        id={input}
        className="input key-input"
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="mb_…"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${input}-problem`}
      />
      <p id={`${input}-problem`} className="field-problem" role="alert">
        {problem}
      </p>
      <div className="row">
        <Button type="submit" look="main" disabled={isChecking || text.trim() === ""}>
          {isChecking ? "Checking…" : "Use this key"}
        </Button>
        {offeredKey && offeredKey !== key && (
          <Button onClick={() => setKey(offeredKey)}>Use the demo key</Button>
        )}
        <Button look="plain" onClick={() => askForKey(false)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Longer than any working server takes. */
const MAX_CHECK_MS = 15_000;

/** What is wrong with a key. Undefined if it is valid, even if it is rate limited right now. */
async function problemWith(key: string, closed: AbortSignal): Promise<string | undefined> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_CHECK_MS);
  try {
    const signal = AbortSignal.any([closed, late.signal]);
    await new Matchbook({ url: location.origin, key, patience: 0 }).usage({ signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof MatchbookError)) return "The server does not respond. Try again.";
    if (error.code === "rate-limited") return undefined;
    if (error.kind === "network") return "Can't reach the server. Try again.";
    if (error.kind === "unauthorized") return STATES.invalid;
    // The client rejects such a text with a message for programmers; a server rejects a very long one with 431.
    const isNoKey = error.kind === "misuse" || error.status === 431;
    return isNoKey
      ? "That doesn't look like an API key. Copy the whole key and nothing else."
      : error.detail;
  } finally {
    clearTimeout(timer);
  }
}
