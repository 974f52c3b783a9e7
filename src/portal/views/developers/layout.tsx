/** The frame of every developer page: its content, and the pages of the area beside it. */

import "./layout.css";
import type { ReactNode } from "react";
import { Page } from "../../kit/page.tsx";
import { type DevelopersPage, Link, type View } from "../../router.ts";
import { GUIDES } from "./guide.ts";

type PageName = DevelopersPage | "explorer";

const PAGES: readonly [PageName, label: string][] = [
  ["quick-start", "Quick start"],
  ["keys", "Keys and limits"],
  ["guides", "Guides"],
  ["endpoints", "Endpoints"],
  ["explorer", "Explorer"],
  ["usage", "Usage"],
  ["changelog", "Changelog"],
];

interface Props {
  current: PageName;
  /** The name of the guide, if the page shows one. */
  guide?: string | undefined;
  /** The name of the page if absent. */
  title?: string | undefined;
  lead?: ReactNode;
  children: ReactNode;
}

export function DeveloperPage({ current, guide, title, lead, children }: Props) {
  const [, label] = PAGES.find(([name]) => name === current)!;
  const heading = title ?? label;
  const pages = <Pages current={current} guide={guide} />;
  return (
    <div className="stack developers">
      <details className="frame fold developers-menu">
        <summary>
          <span className="developers-menu-area note">Developers</span> {label}
        </summary>
        <nav aria-label="Developer pages">{pages}</nav>
      </details>
      <div className="developers-content">
        <Page name={heading} title={heading} lead={lead}>
          {children}
        </Page>
      </div>
      {/* After the content, so that the keyboard reaches the page first. */}
      <nav className="developers-sidebar" aria-label="Developer pages">
        {pages}
      </nav>
    </div>
  );
}

function Pages({ current, guide }: { current: PageName; guide: string | undefined }) {
  return (
    <ul>
      {PAGES.map(([name, label]) => (
        <li key={name}>
          <Link
            to={viewOfPage(name)}
            aria-current={name === current && guide === undefined ? "page" : undefined}
          >
            {label}
          </Link>
          {name === "guides" && current === "guides" && (
            <ul>
              {Object.entries(GUIDES).map(([one, { title }]) => (
                <li key={one}>
                  <Link
                    to={{ name: "developers", page: "guides", guide: one }}
                    aria-current={one === guide ? "page" : undefined}
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A card that leads to another page, in a list. */
export function LinkCard({
  to,
  title,
  children,
}: {
  to: View;
  title: string;
  children: ReactNode;
}) {
  return (
    <li>
      <Link className="link-card card" to={to}>
        <strong>{title}</strong>
        <span>{children}</span>
      </Link>
    </li>
  );
}

const viewOfPage = (name: PageName): View =>
  name === "explorer"
    ? { name: "explorer", search: new URLSearchParams() }
    : { name: "developers", page: name };
