/** The operator's page, on the admin listener. */

import "../theme.css";
import "./operator.css";
import { type FormEvent, type ReactNode, useCallback, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { store, stored } from "../storage.ts";
import { Dashboard } from "./dashboard.tsx";
import { useOverview } from "./overview.ts";

/** Kept until the tab is closed; never in the URL. */
const STORED = "matchbook.admin-token";

function App() {
  const [token, setToken] = useState(() => stored(STORED, "sessionStorage") ?? "");
  const [refusal, setRefusal] = useState<string>();
  const leave = useCallback((reason?: string) => {
    store(STORED, undefined, "sessionStorage");
    setRefusal(reason);
    setToken("");
  }, []);
  const enter = (given: string) => {
    store(STORED, given, "sessionStorage");
    setRefusal(undefined);
    setToken(given);
  };
  return token === "" ? (
    <Entry refusal={refusal} onToken={enter} />
  ) : (
    <Watching token={token} onLeave={leave} />
  );
}

function Entry({
  refusal,
  onToken,
}: {
  refusal: string | undefined;
  onToken: (token: string) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get("token")).trim();
    if (given !== "") onToken(given);
  };
  return (
    <main className="entry">
      <form onSubmit={submit}>
        <h1>Matchbook operator</h1>
        <label htmlFor="token">Admin token</label>
        <input
          id="token"
          name="token"
          type="password"
          autoComplete="current-password"
          required
          aria-invalid={refusal !== undefined}
          aria-describedby="token-hint"
        />
        <p id="token-hint" className="hint">
          The token of the setting <code>admin-token</code>. It is kept until you close this tab.
        </p>
        {refusal === undefined ? null : (
          <p className="refusal" role="alert">
            {refusal}
          </p>
        )}
        <button type="submit">Open</button>
      </form>
    </main>
  );
}

function Watching({ token, onLeave }: { token: string; onLeave: (reason?: string) => void }) {
  const { loaded, problem, isRefused } = useOverview(token);
  useEffect(() => {
    if (isRefused) onLeave(problem);
  }, [isRefused, problem, onLeave]);
  return (
    <>
      <header className="top">
        <h1>Matchbook operator</h1>
        <button type="button" className="quiet" onClick={() => onLeave()}>
          Forget token
        </button>
      </header>
      <main>
        {problem === undefined ? null : <Notice>{problem} Retrying every few seconds.</Notice>}
        {loaded ? <Dashboard loaded={loaded} /> : problem ? null : <p>Loading …</p>}
      </main>
    </>
  );
}

const Notice = ({ children }: { children: ReactNode }) => (
  <p className="notice" role="status">
    {children}
  </p>
);

createRoot(document.getElementById("root")!).render(<App />);
