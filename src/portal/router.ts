/** In charge of addresses: which view each one opens, and going from one to another without a reload. */

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

/** A link of the portal. It is a real one: it can be copied, and opened in another tab. */
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
let moves = 0;

/** Whether this is another page than the one that was loaded. */
export const hasNavigated = (): boolean => moves > 0;

/** "replace" is for what is no step of its own, such as each letter typed into a filter. */
export function navigate(view: View, how: "push" | "replace" = "push"): void {
  const href = hrefOf(view);
  if (how === "push") {
    history.pushState(newEntry(), "", href);
    scrollTo(0, 0);
  } else {
    history.replaceState(history.state, "", href);
  }
  moves += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const moved = () => {
    moves += 1;
    listener();
  };
  listeners.add(listener);
  addEventListener("popstate", moved);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", moved);
  };
}

/** The address as it is now, without its fragment. */
export const useLocation = (): string =>
  useSyncExternalStore(subscribe, () => location.pathname + location.search);

/** Brackets, commas and colons stay as people write them; a query string allows them. */
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
