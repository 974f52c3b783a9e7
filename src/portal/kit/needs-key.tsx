/** Shown instead of a page's data when the visitor has no access. Nothing is requested then. */

import { askForKey, useSession } from "../session.ts";
import { Button } from "./button.tsx";

/** `what` completes the sentence "You need an API key to see …". */
export function NeedsKey({ what }: { what: string }) {
  return (
    <section className="notice needs-key" aria-label="API key required">
      <p className="notice-title">You need an API key to see {what}</p>
      <div className="notice-text">
        <p>
          This server shows matches and players only to visitors with a key. The operator of the
          game can give you one. The key stays in this browser.
        </p>
        <p className="row">
          <KeyButtons />
        </p>
      </div>
    </section>
  );
}

/** For visitors without a key: the demo key where the server offers one, or their own. */
export function KeyButtons() {
  const { offeredKey, setKey } = useSession();
  return (
    <>
      {offeredKey && (
        <Button look="main" onClick={() => setKey(offeredKey)}>
          Use the demo key
        </Button>
      )}
      <Button look={offeredKey ? undefined : "main"} onClick={() => askForKey()}>
        Enter an API key
      </Button>
    </>
  );
}
