/** The app shell: header, navigation, key, theme and footer around the current page. */

import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { KeyButton, KeyDialog, Offer } from "./key.tsx";
import { Boundary } from "./kit/boundary.tsx";
import { useLoad } from "./kit/load.ts";
import { Page } from "./kit/page.tsx";
import { Loading } from "./kit/states.tsx";
import { Logo } from "./logo.tsx";
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
        Skip to content
      </a>
      <header className="top">
        <div className="top-inner">
          <Link to={{ name: "start" }} className="brand">
            <Logo /> Matchbook
          </Link>
          <nav className="sections" aria-label="Main">
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
          <Suspense fallback={<Loading label="Loading page" lines={8} />}>
            {isReady ? pageOf(view) : <Loading label="Loading regions" lines={8} />}
          </Suspense>
        </Boundary>
      </main>
      <footer className="foot">
        <p>
          A read-only JSON:API for completed matches and player stats. OpenAPI spec:{" "}
          <a href="/openapi.json">openapi.json</a>
        </p>
      </footer>
      <KeyDialog />
    </>
  );
}

/** Each record is a page of its own; the explorer stays the same page for every query. */
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
    <Page title="Page not found" name="Page not found">
      <p>
        There is no page at <code>{path}</code>. Check the URL for typos; the link may be out of
        date.
      </p>
      <p>
        <Link to={{ name: "start" }}>Go to the home page</Link> or search for matches in the{" "}
        <Link to={{ name: "explorer", search: new URLSearchParams() }}>Explorer</Link>.
      </p>
    </Page>
  );
}

/** Selects the first shard on a first visit. Returns whether pages can be shown: the shard is known, or cannot be. */
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
