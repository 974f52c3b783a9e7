/** The visitor's own key: masked, its state, and what can be done about it. */

import "./own-key.css";
import type { ReactNode } from "react";
import { MaskedKey } from "../../key.tsx";
import { useLoad } from "../../kit/load.ts";
import { KeyButtons } from "../../kit/needs-key.tsx";
import { askForKey, type KeyState, useSession } from "../../session.ts";
import { isOverQuota, type Usage } from "./usage-days.ts";

/** "ended": it worked in this browser before, and does not any more. */
const STATES: Readonly<Record<KeyState, { tone: "soft" | "good" | "warn"; text: string }>> = {
  unchecked: { tone: "soft", text: "Not checked: no response from the server." },
  valid: { tone: "good", text: "Valid." },
  invalid: { tone: "warn", text: "Not valid: mistyped, expired or revoked." },
  ended: { tone: "warn", text: "No longer valid: it has expired or was revoked." },
  "over-quota": {
    tone: "warn",
    text: "Valid, but its daily match quota is used up. It resets at midnight UTC.",
  },
  "rate-limited": { tone: "warn", text: "Valid, but rate limited right now." },
};

/** `children` shows more about a key that is valid. */
export function OwnKey({ children }: { children?: (usage: Usage) => ReactNode }) {
  const { key } = useSession();
  return key === undefined ? <NoKey /> : <StoredKey key={key}>{children}</StoredKey>;
}

function NoKey() {
  const { offeredKey } = useSession();
  return (
    <section className="own-key card" aria-label="Your key">
      <p className="own-key-title">You have not entered a key</p>
      <p className="own-key-text">
        {offeredKey
          ? "This demo server offers a key to everyone."
          : "The operator of this server can create one for you."}
      </p>
      <p className="own-key-actions">
        <KeyButtons />
      </p>
    </section>
  );
}

function StoredKey({ children }: { children: ((usage: Usage) => ReactNode) | undefined }) {
  const { keyState, matchbook, setKey } = useSession();
  const load = useLoad((signal) => matchbook.usage({ signal }), [matchbook]);
  const usage = load.state === "ready" ? load.value : undefined;
  // The session learns of the quota only when a request is refused.
  const state = usage && isOverQuota(usage) ? "over-quota" : keyState;
  const { tone, text } = STATES[state];
  return (
    <>
      <section className="own-key card" aria-label="Your key">
        <p className="own-key-title">
          Your key <MaskedKey />
        </p>
        <p
          className={`own-key-${load.state === "loading" ? "soft" : tone}`}
          role="status"
          aria-busy={load.state === "loading"}
        >
          {load.state === "loading" ? "Checking…" : text}
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
      {usage && children?.(usage)}
    </>
  );
}
