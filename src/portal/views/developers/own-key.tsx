/** The visitor's own key: masked, its state, and what can be done about it. */

import "./own-key.css";
import type { ReactNode } from "react";
import { MaskedKey, StoredKeyState } from "../../key.tsx";
import { Button } from "../../kit/button.tsx";
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
    <section className="own-key card stack" aria-label="Your key">
      <p className="own-key-title row">You have not entered a key</p>
      <p className="soft">
        {offeredKey
          ? "This demo server offers a key to everyone."
          : "The operator of this server can create one for you."}
      </p>
      <p className="row">
        <KeyButtons />
      </p>
    </section>
  );
}

function StoredKey({ children }: { children: ((usage: Usage) => ReactNode) | undefined }) {
  const { setKey } = useSession();
  const load = useLoad("usage", (matchbook, signal) => matchbook.usage({ signal }));
  return (
    <>
      <section className="own-key card stack" aria-label="Your key">
        <p className="own-key-title row">
          Your key <MaskedKey />
        </p>
        <StoredKeyState usage={load} />
        <p className="row">
          <Button look="small" onClick={() => askForKey()}>
            Change key
          </Button>
          <Button look="small" onClick={() => setKey()}>
            Remove key
          </Button>
        </p>
      </section>
      {load.state === "ready" && load.value && children?.(load.value)}
    </>
  );
}
