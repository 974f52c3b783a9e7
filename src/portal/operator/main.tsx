/** The operator's page, on the admin listener. */

import "../fonts.css";
import "../theme.css";
import "../kit/kit.css";
import "./operator.css";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";
import { Button } from "../kit/button.tsx";
import { Page } from "../kit/page.tsx";
import { Skeleton } from "../kit/skeleton.tsx";
import { store, stored } from "../storage.ts";
import { Dashboard } from "./dashboard.tsx";
import { useOverview } from "./overview.ts";

/** Kept until the tab is closed; never in the URL. */
const STORED = "matchbook.admin-token";

function App() {
  const [token, setToken] = useState(() => stored(STORED, "sessionStorage") ?? "");
  const [refusal, setRefusal] = useState<string>();
  const change = (now: string, reason?: string) => {
    store(STORED, now || undefined, "sessionStorage");
    setRefusal(reason);
    setToken(now);
  };
  if (token === "") return <Entry refusal={refusal} onToken={change} />;
  return <Watching token={token} onLeave={(reason) => change("", reason)} />;
}

interface EntryProps {
  refusal: string | undefined;
  onToken(token: string): void;
}

function Entry({ refusal, onToken }: EntryProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get("token")).trim();
    if (given !== "") onToken(given);
  };
  return (
    <main className="entry">
      <form className="card" onSubmit={submit}>
        <h1>Matchbook operator</h1>
        <label htmlFor="token">Admin token</label>
        <input
          id="token"
          name="token"
          type="password"
          className="input"
          autoComplete="current-password"
          required
          aria-invalid={refusal !== undefined}
          aria-describedby="token-hint"
        />
        <p id="token-hint" className="note">
          The token of the setting <code>admin-token</code>. It is kept until you close this tab.
        </p>
        {refusal && (
          <p className="field-problem" role="alert">
            {refusal}
          </p>
        )}
        <button type="submit" className="button button-main">
          Open
        </button>
      </form>
    </main>
  );
}

function Watching({ token, onLeave }: { token: string; onLeave(reason?: string): void }) {
  const { overview, problem } = useOverview(token, onLeave);
  const forget = (
    <Button look="small" onClick={() => onLeave()}>
      Forget token
    </Button>
  );
  return (
    <main>
      <Page title="Matchbook operator" name="Operator" aside={forget}>
        {problem && (
          <p className="notice notice-bad" role="status">
            {problem} Retrying every few seconds.
          </p>
        )}
        {overview ? <Dashboard overview={overview} /> : !problem && <Skeleton label="Loading" />}
      </Page>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
