/** The visitor's API key: the button in the header, the key dialog, and the demo server's offer. */

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Matchbook, MatchbookError } from "../../client/src/index.ts";
import { askForKey, showKey, useSession } from "./session.ts";

const INVALID_KEY = "This key isn't valid. It may be mistyped, expired or revoked.";

/** Only the end of the key, so that nobody can read it over a shoulder. */
const shortened = (key: string): string => `…${key.slice(-4)}`;

const masked = (key: string): string => `${key.slice(0, 3)}…${key.slice(-4)}`;

/** The key, masked until the visitor reveals it, in all places at once. */
export function MaskedKey() {
  const { key = "", isKeyShown } = useSession();
  return (
    <span className="masked-key">
      <code>{isKeyShown ? key : masked(key)}</code>{" "}
      <button
        type="button"
        className="button button-small"
        aria-pressed={isKeyShown}
        onClick={() => showKey(!isKeyShown)}
      >
        {isKeyShown ? "Hide key" : "Show key"}
      </button>
    </span>
  );
}

/** The key as code samples show it. */
export function useShownKey(): string {
  const { key, isKeyShown } = useSession();
  if (key === undefined) return "YOUR_API_KEY";
  return isKeyShown ? key : masked(key);
}

export function KeyButton() {
  const { key } = useSession();
  return (
    <button
      type="button"
      className={`button button-small key-button${key ? "" : " button-main"}`}
      onClick={() => askForKey()}
    >
      {key ? (
        <>
          <span className="key-word">Key </span>
          <code>{shortened(key)}</code>
        </>
      ) : (
        "Add API key"
      )}
    </button>
  );
}

/** Shown on demo servers to visitors without a key. */
export function Offer() {
  const { key, offeredKey, setKey } = useSession();
  if (!offeredKey || key) return null;
  return (
    <section className="offer" aria-label="Demo key">
      <p>This is a demo server with sample matches. Try it with the demo key.</p>
      <button type="button" className="button button-main" onClick={() => setKey(offeredKey)}>
        Use the demo key
      </button>
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
      className="dialog"
      aria-labelledby="key-title"
      onClose={() => askForKey(false)}
    >
      {isAskingForKey && <KeyForm />}
    </dialog>
  );
}

function KeyForm() {
  const { key, setKey, offeredKey } = useSession();
  const [text, setText] = useState(key ?? "");
  const [problem, setProblem] = useState<string>();
  const [isChecking, setChecking] = useState(false);
  const input = useId();
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );

  const take = async (event: FormEvent) => {
    event.preventDefault();
    setChecking(true);
    const found = await problemWith(text.trim());
    // The visitor closed the dialog during the check: don't take the key.
    if (isClosed.current) return;
    setChecking(false);
    setProblem(found);
    if (found !== undefined) return;
    setKey(text);
    askForKey(false);
  };
  const use = (chosen: string | undefined) => {
    setKey(chosen);
    askForKey(false);
  };

  return (
    <form onSubmit={take} noValidate>
      <h2 id="key-title">Your API key</h2>
      <p>
        You need a key to see matches and players. It is stored in this browser and sent only to
        this server. No key yet? The operator can create one with <code>matchbook keys create</code>
        .
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
      <div className="dialog-buttons">
        <button
          type="submit"
          className="button button-main"
          disabled={isChecking || text.trim() === ""}
        >
          {isChecking ? "Checking…" : "Use this key"}
        </button>
        {offeredKey && offeredKey !== key && (
          <button type="button" className="button" onClick={() => use(offeredKey)}>
            Use the demo key
          </button>
        )}
        {key && (
          <button type="button" className="button" onClick={() => use(undefined)}>
            Remove key
          </button>
        )}
        <button type="button" className="button button-plain" onClick={() => askForKey(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What is wrong with a key. Undefined if it is valid, even if it is rate limited right now. */
async function problemWith(key: string): Promise<string | undefined> {
  try {
    await new Matchbook({ url: location.origin, key, patience: 0 }).usage();
    return undefined;
  } catch (error) {
    if (!(error instanceof MatchbookError)) throw error;
    if (error.code === "rate-limited") return undefined;
    if (error.kind === "network") return "Can't reach the server. Try again.";
    if (error.kind === "unauthorized") return INVALID_KEY;
    // The client rejects such a text with a message for programmers; a server rejects a very long one with 431.
    const isNoKey = error.kind === "misuse" || error.status === 431;
    return isNoKey
      ? "That doesn't look like an API key. Copy the whole key and nothing else."
      : error.detail;
  }
}
