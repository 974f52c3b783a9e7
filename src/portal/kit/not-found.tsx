/** The page for a player, match, region or URL that does not exist: says so, and leads on. */

import type { ReactNode } from "react";
import { Link } from "../router.ts";
import type { Load } from "./load.ts";
import { Page } from "./page.tsx";
import { isNotFound, Problem } from "./problem.tsx";

export function NotFound({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page title={title} name={title}>
      <p>{children} The link may be mistyped or out of date.</p>
      <p className="row">
        <button type="button" className="button button-main" onClick={focusSearch}>
          Search for a player
        </button>
        <Link className="button" to={{ name: "start" }}>
          Home page
        </Link>
      </p>
    </Page>
  );
}

interface FailedProps {
  kind: "Player" | "Match";
  shard: string;
  load: Load<unknown>;
}

/** The page of a record that could not be loaded. */
export function Failed({ kind, shard, load }: FailedProps) {
  if (isNotFound(load.error)) {
    return (
      <NotFound title={`${kind} not found`}>
        There is no such {kind.toLowerCase()} in {shard.toUpperCase()}.
      </NotFound>
    );
  }
  return (
    <Page title={kind} name={kind}>
      <Problem error={load.error} retry={load.retry} />
    </Page>
  );
}

/** The search is in the header of every page but the start page. */
const focusSearch = (): void => document.querySelector<HTMLElement>("search input")?.focus();
