/** The app shell: header, page and footer. */

import { type ReactNode, Suspense, useEffect } from "react";
import { Header } from "./header.tsx";
import { KeyDialog, Offer } from "./key.tsx";
import { Boundary, lazyPage } from "./kit/boundary.tsx";
import { Page } from "./kit/page.tsx";
import { Loading } from "./kit/states.tsx";
import { NetworkNote } from "./network-note.tsx";
import { useRegions } from "./regions.ts";
import { hrefOf, Link, useLocation, type View, viewOf } from "./router.ts";
import { proposeShard, useSession } from "./session.ts";

const Start = lazyPage(() => import("./views/start/view.tsx"));
const Player = lazyPage(() => import("./views/player/view.tsx"));
const Match = lazyPage(() => import("./views/match/view.tsx"));
const Heroes = lazyPage(() => import("./views/heroes/view.tsx"));
const Leaderboard = lazyPage(() => import("./views/leaderboards/view.tsx"));
const Status = lazyPage(() => import("./views/status/view.tsx"));
const Developers = lazyPage(() => import("./views/developers/view.tsx"));
const Explorer = lazyPage(() => import("./views/explorer/view.tsx"));

export function App() {
  const address = useLocation();
  const view = viewOf(new URL(address, location.origin));
  const isReady = useRegion(view);
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Header view={view} />
      <Offer />
      <main id="content" className="content" tabIndex={-1}>
        <Boundary key={pageKey(view)}>
          <Suspense fallback={<Loading label="Loading page" lines={8} />}>
            {isReady ? pageOf(view) : <Loading label="Loading regions" lines={8} />}
          </Suspense>
        </Boundary>
      </main>
      <footer className="foot">
        <div className="foot-inner">
          <p>Matchbook: matches and players of every region.</p>
          <nav aria-label="Footer">
            <Link to={{ name: "developers", page: "quick-start" }}>API for developers</Link>
            <a href="/openapi.json">OpenAPI spec</a>
            <Link to={{ name: "status" }}>Status</Link>
          </nav>
        </div>
      </footer>
      <NetworkNote />
      <KeyDialog />
    </>
  );
}

/** A change of filters stays on the same page; each record is a page of its own. */
function pageKey(view: View): string {
  switch (view.name) {
    case "explorer":
    case "developers":
      return view.name;
    case "heroes":
      return `heroes ${view.shard}`;
    case "leaderboard":
      return `leaderboards ${view.shard}`;
    case "player":
      return `player ${view.shard} ${view.id}`;
    default:
      return hrefOf(view);
  }
}

function pageOf(view: View): ReactNode {
  switch (view.name) {
    case "start":
      return <Start />;
    case "player":
      return <Player shard={view.shard} id={view.id} search={view.search} />;
    case "match":
      return <Match shard={view.shard} id={view.id} />;
    case "heroes":
      return <Heroes shard={view.shard} search={view.search} />;
    case "leaderboard":
      return <Leaderboard shard={view.shard} board={view.board} search={view.search} />;
    case "status":
      return <Status />;
    case "developers":
      return <Developers page={view.page} guide={view.guide} />;
    case "explorer":
      return <Explorer search={view.search} />;
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
        <Link to={{ name: "start" }}>Search for a player</Link> or see the{" "}
        <Link to={{ name: "developers", page: "quick-start" }}>API for developers</Link>.
      </p>
    </Page>
  );
}

/**
 * Until the visitor chooses a region, selects the one with the newest match that they may read: the server also lists
 * closed ones. Returns whether the page can be shown: the explorer and the developer area need a region, unless there
 * is none.
 */
function useRegion(view: View): boolean {
  const { shard, isShardChosen, closedShards } = useSession();
  const { state, regions } = useRegions();
  const newest = (regions.find(({ id }) => !closedShards.has(id)) ?? regions[0])?.id;
  const isUnknown = newest !== undefined && !regions.some(({ id }) => id === shard);
  const isClosed = !isShardChosen && closedShards.has(shard);
  useEffect(() => {
    if (newest !== undefined && newest !== shard && (isUnknown || isClosed)) proposeShard(newest);
  }, [isUnknown, isClosed, newest, shard]);
  const needsRegion = view.name === "explorer" || view.name === "developers";
  return !needsRegion || shard !== "" || (state !== "loading" && !isUnknown);
}
