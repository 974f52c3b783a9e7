/** The app shell: header, page and footer. */

import { type ComponentType, createElement, type ReactNode, Suspense, useEffect } from "react";
import { Header } from "./header.tsx";
import { KeyButton, KeyDialog, Offer } from "./key.tsx";
import { Boundary, lazyPage } from "./kit/boundary.tsx";
import { NotFound } from "./kit/not-found.tsx";
import { Skeleton } from "./kit/skeleton.tsx";
import { NetworkNote } from "./network-note.tsx";
import { useRegions } from "./regions.ts";
import { hrefOf, Link, navigate, useLocation, type View, viewOf } from "./router.ts";
import { proposeShard, useSession } from "./session.ts";

type Shown = Exclude<View, { name: "not-found" }>;

/** A page that is loaded when it is first rendered, or by `load()`: then it is rendered at once. */
function page<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const shown = { component: lazyPage(load) as ComponentType<Props> };
  const Page = (props: Props) => createElement(shown.component, props);
  Page.load = async () => {
    shown.component = (await load()).default;
  };
  return Page;
}

const PAGES = {
  start: page(() => import("./views/start/view.tsx")),
  player: page(() => import("./views/player/view.tsx")),
  match: page(() => import("./views/match/view.tsx")),
  heroes: page(() => import("./views/heroes/view.tsx")),
  leaderboard: page(() => import("./views/leaderboards/view.tsx")),
  status: page(() => import("./views/status/view.tsx")),
  developers: page(() => import("./views/developers/view.tsx")),
  explorer: page(() => import("./views/explorer/view.tsx")),
  // Each takes what its URL says.
} satisfies { [Name in Shown["name"]]: (props: Extract<Shown, { name: Name }>) => ReactNode };

/** Loads the view of the page's URL. React would show a placeholder for 300 ms otherwise. */
export async function loadFirstView(): Promise<void> {
  const { name } = viewOf(location);
  // What cannot be loaded is reported when it is rendered.
  if (name !== "not-found") await PAGES[name].load().catch(() => {});
}

export function App() {
  const address = useLocation();
  const view = viewOf(new URL(address, location.origin));
  const { isReady, isUnknown } = useRegion(view);
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      {/* The search is in it, except on the start page. */}
      <Header view={isUnknown ? { name: "not-found", path: address } : view} />
      <Offer />
      <main id="content" className="content" tabIndex={-1}>
        <Boundary key={pageKey(view)}>
          <Suspense fallback={<Skeleton label="Loading page" count={8} />}>
            {isUnknown ? (
              <NotFound title="Region not found">There is no such region.</NotFound>
            ) : isReady ? (
              pageOf(view)
            ) : (
              <Skeleton label="Loading regions" count={8} />
            )}
          </Suspense>
        </Boundary>
      </main>
      <footer className="foot note">
        <div className="section-head foot-inner">
          <p>Matchbook: matches and players of every region.</p>
          <nav className="row" aria-label="Footer">
            <Link to={{ name: "developers", page: "quick-start" }}>API for developers</Link>
            <a href="/openapi.json">OpenAPI spec</a>
            <Link to={{ name: "status" }}>Status</Link>
            <KeyButton />
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
  if (view.name === "developers") return view.name;
  if (view.name === "leaderboard") return `leaderboards ${view.shard}`;
  return hrefOf(view).replace(/\?.*/, "");
}

function pageOf(view: View): ReactNode {
  if (view.name === "not-found") {
    return (
      <NotFound title="Page not found">
        There is no page at <code>{view.path}</code>.
      </NotFound>
    );
  }
  return createElement(PAGES[view.name] as ComponentType<Shown>, view);
}

/**
 * Until the visitor chooses a region, selects the one with the newest match that they may read: the server also lists
 * closed ones. `/portal/REGION` is the start page with that region chosen. `isReady`: the page can be shown: the explorer
 * and the developer area need a region, unless there is none. `isUnknown`: the URL names a region that does not exist.
 */
function useRegion(view: View): { isReady: boolean; isUnknown: boolean } {
  const { shard, isShardChosen, closedShards, setShard } = useSession();
  const { state, regions } = useRegions();
  const isKnown = (region: string) => regions.some(({ id }) => id === region);
  const newest = (regions.find(({ id }) => !closedShards.has(id)) ?? regions[0])?.id;
  const isGone = newest !== undefined && !isKnown(shard);
  const isClosed = !isShardChosen && closedShards.has(shard);
  const named = "shard" in view ? view.shard : undefined;
  const isUnknown = named !== undefined && state === "ready" && !isKnown(named);
  const chosen = view.name === "start" && state !== "loading" && !isUnknown ? named : undefined;
  useEffect(() => {
    if (chosen !== undefined) {
      setShard(chosen);
      navigate({ name: "start" }, "replace");
    } else if (newest !== undefined && newest !== shard && (isGone || isClosed)) {
      proposeShard(newest);
    }
  }, [chosen, setShard, isGone, isClosed, newest, shard]);
  const needsRegion = view.name === "explorer" || view.name === "developers";
  const isReady = !needsRegion || shard !== "" || (state !== "loading" && !isGone);
  return { isReady: isReady && !(view.name === "start" && named !== undefined), isUnknown };
}
