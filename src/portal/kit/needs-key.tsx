/** Shown instead of a page's data when the visitor has no access. Nothing is requested then. */

import { askForKey } from "../session.ts";
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
          <Button look="main" onClick={() => askForKey()}>
            Enter an API key
          </Button>
        </p>
      </div>
    </section>
  );
}
