/** What the server wrote into the page, so that the first view does not wait for requests. */

import type { Matchbook } from "../../client/src/index.ts";

export type Region = Pick<
  Awaited<ReturnType<Matchbook["status"]>>["shards"][number],
  "id" | "available" | "newestMatch"
>;

export interface VisitorToken {
  token: string;
  /** In seconds. */
  expiresIn: number;
}

interface PageData {
  /** Absent if visitors need a key. */
  token?: VisitorToken;
  regions?: Region[];
  /** The response of the API to a visitor's request for `path`. */
  path?: string;
  status?: number;
  document?: unknown;
}

export const pageData: PageData = JSON.parse(
  document.getElementById("page-data")?.textContent || "{}",
);

// Going back, browsers show a stored page, whose data may be old.
const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
if (navigation?.type === "back_forward") {
  delete pageData.path;
  delete pageData.regions;
}

/** The response that the server wrote into the page, once: whoever asks again wants a new one. */
export function takeResponse(url: string): Response | undefined {
  const { pathname, search } = new URL(url);
  if (pathname + search !== pageData.path) return undefined;
  delete pageData.path;
  return Response.json(pageData.document, { status: pageData.status ?? 200 });
}
