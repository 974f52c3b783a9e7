/** The visitor's own key: masked, its state, and what can be done about it. */

import "./own-key.css";
import { MaskedKey } from "../../key.tsx";
import { askForKey, useSession } from "../../session.ts";

/** What the state of a key means. "ended": it worked before, and does not any more. */
const STATES = {
  unchecked: { tone: "soft", text: "Not checked yet." },
  valid: { tone: "good", text: "Valid." },
  invalid: { tone: "bad", text: "Not valid: mistyped, expired or revoked." },
  ended: { tone: "bad", text: "No longer valid: it has expired or was revoked." },
  "over-quota": {
    tone: "warn",
    text: "Valid, but its daily match quota is used up. It resets at midnight UTC.",
  },
  "rate-limited": { tone: "warn", text: "Valid, but rate limited right now." },
} as const;

export function OwnKey() {
  const { key, keyState, offeredKey, setKey } = useSession();
  if (key === undefined) {
    return (
      <section className="own-key card" aria-label="Your key">
        <p className="own-key-title">You have not entered a key</p>
        <p className="own-key-text">
          {offeredKey
            ? "This demo server offers a key to everyone."
            : "Ask the operator of this server for a key. They create one with matchbook keys create."}
        </p>
        <p className="own-key-actions">
          {offeredKey && (
            <button type="button" className="button button-main" onClick={() => setKey(offeredKey)}>
              Use the demo key
            </button>
          )}
          <button
            type="button"
            className={`button${offeredKey ? "" : " button-main"}`}
            onClick={() => askForKey()}
          >
            Enter an API key
          </button>
        </p>
      </section>
    );
  }
  const { tone, text } = STATES[keyState];
  return (
    <section className="own-key card" aria-label="Your key">
      <p className="own-key-title">
        Your key <MaskedKey />
      </p>
      <p className={`own-key-state own-key-${tone}`} role="status">
        {text}
      </p>
      <p className="own-key-actions">
        <button type="button" className="button button-small" onClick={() => askForKey()}>
          Change key
        </button>
        <button type="button" className="button button-small" onClick={() => setKey()}>
          Remove key
        </button>
      </p>
    </section>
  );
}
