/** A guide: a Markdown file of the docs, rendered when the portal is built. */

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
