/** In charge of the shell around every page: header, navigation, key, theme, footer; and which page is shown. */

import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { KeyButton, KeyDialog, Offer } from "./key.tsx";
import { Boundary } from "./kit/boundary.tsx";
import { useLoad } from "./kit/load.ts";
import { Page } from "./kit/page.tsx";
import { Loading } from "./kit/states.tsx";
import { Mark } from "./logo.tsx";
import { hrefOf, Link, useLocation, type View, viewOf } from "./router.ts";
import { useSession } from "./session.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

const Start = lazy(() => import("./views/start/view.tsx"));
const Explorer = lazy(() => import("./views/explorer/view.tsx"));
const Match = lazy(() => import("./views/match/view.tsx"));
const Player = lazy(() => import("./views/player/view.tsx"));
const Status = lazy(() => import("./views/status/view.tsx"));
const Reference = lazy(() => import("./views/reference/view.tsx"));

const SECTIONS: readonly [string, View][] = [
  ["Explorer", { name: "explorer", search: new URLSearchParams() }],
  ["Status", { name: "status" }],
  ["Reference", { name: "reference" }],
];

export function App() {
  const address = useLocation();
  const view = viewOf(new URL(address, location.origin));
  const isReady = useShard();
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <div className="top-inner">
          <Link to={{ name: "start" }} className="brand">
            <Mark /> Matchbook
          </Link>
          <nav className="sections" aria-label="Pages">
            {SECTIONS.map(([label, to]) => (
              <Link key={label} to={to} aria-current={view.name === to.name ? "page" : undefined}>
                {label}
              </Link>
            ))}
          </nav>
          <KeyButton />
          <ThemeSwitch />
        </div>
      </header>
      <Offer />
      <main id="content" className="content" tabIndex={-1}>
        <Boundary key={pageKey(view)} isPage>
          <Suspense fallback={<Loading label="Loading the page" lines={8} />}>
            {isReady ? pageOf(view) : <Loading label="Asking which shards there are" lines={8} />}
          </Suspense>
        </Boundary>
      </main>
      <footer className="foot">
        <p>
          Matchbook serves completed matches and player records, read-only, as JSON:API. Its
          description for programs: <a href="/openapi.json">openapi.json</a>.
        </p>
      </footer>
      <KeyDialog />
    </>
  );
}

/** Another record is another page; another query of the explorer is not. */
const pageKey = (view: View): string => (view.name === "explorer" ? view.name : hrefOf(view));

function pageOf(view: View): ReactNode {
  switch (view.name) {
    case "start":
      return <Start />;
    case "explorer":
      return <Explorer search={view.search} />;
    case "match":
      return <Match shard={view.shard} id={view.id} />;
    case "player":
      return <Player shard={view.shard} id={view.id} />;
    case "status":
      return <Status />;
    case "reference":
      return <Reference />;
    case "not-found":
      return <NotFound path={view.path} />;
  }
}

function NotFound({ path }: { path: string }) {
  return (
    <Page title="No such page" name="No such page">
      <p>
        Nothing is at <code>{path}</code>. The address may be mistyped, or the link outdated.
      </p>
      <p>
        <Link to={{ name: "start" }}>Go to the start</Link>, or look for matches in the{" "}
        <Link to={{ name: "explorer", search: new URLSearchParams() }}>explorer</Link>.
      </p>
    </Page>
  );
}

/** A first visit begins with the first shard there is. Whether that is known, or cannot be. */
function useShard(): boolean {
  const { matchbook, shard, setShard } = useSession();
  const status = useLoad((signal) => matchbook.status({ signal }), []);
  const ids = status.value?.shards.map(({ id }) => id);
  const first = ids?.[0];
  const isUnknown = first !== undefined && !ids?.includes(shard);
  useEffect(() => {
    if (isUnknown) setShard(first);
  }, [isUnknown, first, setShard]);
  return shard !== "" || (status.state !== "loading" && !isUnknown);
}
