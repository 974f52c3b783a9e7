/** In charge of the visitor's key: the button that shows it, the dialog that asks for it, the offer of a demo server. */

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Matchbook, MatchbookError } from "../../client/src/index.ts";
import { askForKey, useSession } from "./session.ts";

/** As much of a key as may be seen over a shoulder. */
const shortened = (key: string): string => `…${key.slice(-4)}`;

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
        "Add your key"
      )}
    </button>
  );
}

/** Only a demo server offers a key, and only to those who have none. */
export function Offer() {
  const { key, offeredKey, setKey } = useSession();
  if (!offeredKey || key) return null;
  return (
    <section className="offer" aria-label="Demo key">
      <p>This is a demo server with invented matches. Its key is free to use.</p>
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
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );

  const take = async (event: FormEvent) => {
    event.preventDefault();
    setChecking(true);
    const complaint = await complaintAbout(text.trim());
    // Whoever closed the dialog meanwhile did not want this key.
    if (isLeft.current) return;
    setChecking(false);
    setProblem(complaint);
    if (complaint !== undefined) return;
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
        Records need a key. It stays in this browser and is sent to this service only. If you have
        none, ask whoever runs it: <code>matchbook keys create</code> makes one.
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
          {isChecking ? "Checking …" : "Use this key"}
        </button>
        {offeredKey && offeredKey !== key && (
          <button type="button" className="button" onClick={() => use(offeredKey)}>
            Use the demo key
          </button>
        )}
        {key && (
          <button type="button" className="button" onClick={() => use(undefined)}>
            Forget it
          </button>
        )}
        <button type="button" className="button button-plain" onClick={() => askForKey(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What is wrong with a key; undefined when it is valid, even if it has no requests left just now. */
async function complaintAbout(key: string): Promise<string | undefined> {
  try {
    await new Matchbook({ url: location.origin, key, patience: 0 }).usage();
    return undefined;
  } catch (error) {
    if (!(error instanceof MatchbookError)) throw error;
    if (error.code === "rate-limited") return undefined;
    if (error.kind === "network") return "The service does not answer. Try again.";
    // What the client says of it is for programmers, and of an endless text the service says nothing.
    const isNoKey = error.kind === "misuse" || error.status === 431;
    return isNoKey ? "No key looks like this. Copy the whole key, and nothing else." : error.detail;
  }
}
