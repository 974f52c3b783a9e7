/** A note at the edge of the window: the page waits for the server, or shows what it knew before. */

import { Button } from "./kit/button.tsx";
import { useNow } from "./kit/time.tsx";
import { retryAll, shownAsOf, useOnline, type Wait, waiting } from "./network.ts";
import { useStore } from "./store.ts";

/** Shorter waits are not worth a note. */
const SHORT_MS = 2000;

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

export function NetworkNote() {
  const wait = useStore(waiting);
  const at = useStore(shownAsOf);
  const isOnline = useOnline();
  return (
    <div className="network-note" role="status">
      {wait && <Waiting {...wait} />}
      {at !== undefined && (
        <p>
          {isOnline ? "Can't reach the server." : "You are offline."} Shown as of {time.format(at)}.{" "}
          <Button look="small" onClick={retryAll}>
            Try again
          </Button>
        </p>
      )}
    </div>
  );
}

function Waiting({ since, until }: Wait) {
  const now = useNow(250);
  if (now - since < SHORT_MS) return null;
  return (
    <p>
      Waiting for the server
      {/* Not announced every second. */}
      <span aria-hidden="true">: {Math.max(1, Math.ceil((until - now) / 1000))} s</span>
    </p>
  );
}
