/** The guides: the docs for users of the API, and the changelog. */

import "./guides.css";
import { type MouseEvent, useEffect } from "react";
import { LoadError } from "../../kit/boundary.tsx";
import { Code, type Language } from "../../kit/code.tsx";
import { CopyButton } from "../../kit/copy.tsx";
import { useLoad } from "../../kit/load.ts";
import { ScrollTable } from "../../kit/scroll-table.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { decoded, Link, navigate, viewOf } from "../../router.ts";
import { GUIDES, type Guide, type GuideBlock, type GuideHeading } from "./guide.ts";
import { DeveloperPage, LinkCard } from "./layout.tsx";

const SOURCES: Readonly<Record<string, () => Promise<{ default: Guide }>>> = {
  api: () => import("../../../../docs/api.md"),
  errors: () => import("../../../../docs/errors.md"),
  changes: () => import("../../../../docs/changes.md"),
  insights: () => import("../../../../docs/insights.md"),
  compatibility: () => import("../../../../docs/compatibility.md"),
};

export function Guides({ guide }: { guide?: string | undefined }) {
  if (guide === undefined) {
    return (
      <DeveloperPage
        current="guides"
        lead="How the API works, from the documentation of this version."
      >
        <ul className="guide-cards">
          {Object.entries(GUIDES).map(([name, { title, about }]) => (
            <LinkCard
              key={name}
              to={{ name: "developers", page: "guides", guide: name }}
              title={title}
            >
              {about}
            </LinkCard>
          ))}
        </ul>
      </DeveloperPage>
    );
  }
  const source = Object.hasOwn(SOURCES, guide) ? SOURCES[guide] : undefined;
  if (!source) {
    return (
      <DeveloperPage key={guide} current="guides" title="Guide not found">
        <p>
          There is no guide called <code>{guide}</code>. See{" "}
          <Link to={{ name: "developers", page: "guides" }}>all guides</Link>.
        </p>
      </DeveloperPage>
    );
  }
  const { title } = GUIDES[guide]!;
  return <Document key={guide} current="guides" {...{ guide, title, source }} />;
}

export const Changelog = () => (
  <Document current="changelog" source={() => import("../../../../CHANGELOG.md")} />
);

interface DocumentProps {
  current: "guides" | "changelog";
  guide?: string;
  title?: string;
  source(): Promise<{ default: Guide }>;
}

function Document({ current, guide, title, source }: DocumentProps) {
  const load = useLoad(undefined, async () => (await source()).default);
  const document = load.value;
  // The browser looked for the anchor before the document was there.
  useEffect(() => {
    if (document && location.hash !== "") {
      window.document.getElementById(decoded(location.hash.slice(1)))?.scrollIntoView();
    }
  }, [document]);
  return (
    <DeveloperPage {...{ current, guide, title }}>
      {load.state === "failed" && <LoadError />}
      {load.state === "loading" && <Skeleton label="Loading" count={14} />}
      {document && (
        <div className="stack guide-frame">
          <Contents headings={document.headings} />
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: clicks on its links. */}
          <div className="stack guide" onClick={followLink}>
            {document.blocks.map((block, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the document does not change.
              <BlockView key={at} block={block} />
            ))}
          </div>
        </div>
      )}
    </DeveloperPage>
  );
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: "shell",
  console: "shell",
  js: "javascript",
  ts: "typescript",
  json: "json",
  python: "python",
};

function BlockView({ block }: { block: GuideBlock }) {
  switch (block.kind) {
    case "code":
      return (
        <div className="guide-code">
          <Code
            language={LANGUAGES[block.language] ?? "text"}
            text={block.text}
            label={block.label}
          />
          {block.language === "sh" && <CopyButton text={block.text} label="Copy command" />}
        </div>
      );
    case "table":
      return (
        <ScrollTable label={block.label}>
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from the docs at build time. */}
          <table className="table guide-table" dangerouslySetInnerHTML={{ __html: block.html }} />
        </ScrollTable>
      );
    case "html":
      // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered from the docs at build time.
      return <div className="guide-text" dangerouslySetInnerHTML={{ __html: block.html }} />;
  }
}

function Contents({ headings }: { headings: readonly GuideHeading[] }) {
  const sections = headings.filter(({ level }) => level === 2);
  if (sections.length < 3) return null;
  return (
    <nav className="small guide-contents" aria-label="On this page">
      <p className="label">On this page</p>
      <ul className="row">
        {sections.map(({ id, text }) => (
          <li key={id}>
            <a className="link-plain target" href={`#${id}`}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Opens links to other pages of the portal without a reload. */
function followLink(event: MouseEvent<HTMLElement>): void {
  const link = (event.target as Element).closest("a");
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey);
  if (!link || !isPlain || event.altKey || link.origin !== location.origin) return;
  if (link.pathname === location.pathname) return;
  event.preventDefault();
  navigate(viewOf(link));
  // The document reads the anchor when it has loaded.
  history.replaceState(history.state, "", link.href);
}
