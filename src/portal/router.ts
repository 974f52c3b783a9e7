/** Client-side router: maps URLs to views and navigates between them without a reload. */

import {
  type AnchorHTMLAttributes,
  createElement,
  type MouseEvent,
  useSyncExternalStore,
} from "react";
import { newEntry } from "./scroll.ts";

export type View =
  | { name: "start" }
  | { name: "explorer"; search: URLSearchParams }
  | { name: "match" | "player"; shard: string; id: string }
  | { name: "status" }
  | { name: "reference" }
  | { name: "not-found"; path: string };

const RECORDS = { matches: "match", players: "player" } as const;

export function viewOf({ pathname, search }: { pathname: string; search: string }): View {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
  if (path === "/" || path === "/portal") return { name: "start" };
  if (path === "/portal/explorer") return { name: "explorer", search: new URLSearchParams(search) };
  if (path === "/portal/status") return { name: "status" };
  if (path === "/portal/reference") return { name: "reference" };
  const [, portal, shard, kind, id, ...more] = path.split("/");
  const isRecord = portal === "portal" && shard && id && more.length === 0;
  if (isRecord && (kind === "matches" || kind === "players")) {
    const named = { shard: decoded(shard), id: decoded(id) };
    return { name: RECORDS[kind], ...named };
  }
  return { name: "not-found", path };
}

export function hrefOf(view: View): string {
  switch (view.name) {
    case "start":
      return "/";
    case "explorer": {
      const query = readable(view.search);
      return `/portal/explorer${query === "" ? "" : `?${query}`}`;
    }
    case "match":
      return `/portal/${encodeURIComponent(view.shard)}/matches/${encodeURIComponent(view.id)}`;
    case "player":
      return `/portal/${encodeURIComponent(view.shard)}/players/${encodeURIComponent(view.id)}`;
    case "not-found":
      return view.path;
    default:
      return `/portal/${view.name}`;
  }
}

/** A link within the portal. It renders a real `href`, so it can be copied or opened in a new tab. */
export function Link({
  to,
  onClick,
  ...rest
}: { to: View } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return createElement("a", {
    ...rest,
    href: hrefOf(to),
    onClick(event: MouseEvent<HTMLAnchorElement>) {
      onClick?.(event);
      const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
      if (event.defaultPrevented || !isPlain || event.altKey) return;
      event.preventDefault();
      navigate(to);
    },
  });
}

const listeners = new Set<() => void>();
let navigations = 0;

/** Whether the visitor has navigated since the page was loaded. */
export const hasNavigated = (): boolean => navigations > 0;

/** Use "replace" for changes that need no history entry, such as each letter typed into a filter. */
export function navigate(view: View, how: "push" | "replace" = "push"): void {
  const href = hrefOf(view);
  if (how === "push") {
    history.pushState(newEntry(), "", href);
    scrollTo(0, 0);
  } else {
    history.replaceState(history.state, "", href);
  }
  navigations += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const onPopState = () => {
    navigations += 1;
    listener();
  };
  listeners.add(listener);
  addEventListener("popstate", onPopState);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", onPopState);
  };
}

/** The current path and query string, without the fragment. */
export const useLocation = (): string =>
  useSyncExternalStore(subscribe, () => location.pathname + location.search);

/** Keeps brackets, commas and colons unescaped, which a query string allows, so that the URL is readable. */
function readable(search: URLSearchParams): string {
  return search
    .toString()
    .replaceAll("%5B", "[")
    .replaceAll("%5D", "]")
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":");
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
