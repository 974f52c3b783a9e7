/** The guides: Markdown files of the docs, rendered when the portal is built. */

/** Those for users of the API. */
export const GUIDES: Readonly<Record<string, { title: string; about: string }>> = {
  api: {
    title: "API reference",
    about: "Requests, filters, paging, resources, limits and caching.",
  },
  errors: { title: "Errors", about: "Every error code, its status, and what to do about it." },
  changes: {
    title: "Changes",
    about: "Matches as they are added, replaced and removed: a feed, streams and webhooks.",
  },
  insights: {
    title: "Insights",
    about: "Hero statistics, leaderboards and whom a player played with.",
  },
  compatibility: {
    title: "Compatibility",
    about: "What differs for clients of the Gamelocker API.",
  },
};

export interface Guide {
  title: string;
  headings: readonly GuideHeading[];
  blocks: GuideBlock[];
}

export interface GuideHeading {
  /** The anchor. */
  id: string;
  text: string;
  level: number;
}

/** Code and tables are separate, because the page shows them with components of the kit. */
export type GuideBlock =
  | { kind: "html"; html: string }
  | { kind: "table"; label: string; html: string }
  | { kind: "code"; label: string; language: string; text: string };
