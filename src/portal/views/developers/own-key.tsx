/** The visitor's own key: masked, its state, and what can be done about it. */

import "./own-key.css";
import type { ReactNode } from "react";
import { MaskedKey, StoredKeyState } from "../../key.tsx";
import { useLoad } from "../../kit/load.ts";
import { KeyButtons } from "../../kit/needs-key.tsx";
import { askForKey, useSession } from "../../session.ts";
import type { Usage } from "./usage-days.ts";

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
      <p className="actions">
        <KeyButtons />
      </p>
    </section>
  );
}

function StoredKey({ children }: { children: ((usage: Usage) => ReactNode) | undefined }) {
  const { matchbook, setKey } = useSession();
  const load = useLoad((signal) => matchbook.usage({ signal }), [matchbook]);
  const usage = load.state === "ready" ? load.value : undefined;
  return (
    <>
      <section className="own-key card" aria-label="Your key">
        <p className="own-key-title">
          Your key <MaskedKey />
        </p>
        <StoredKeyState usage={load} />
        <p className="actions">
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
