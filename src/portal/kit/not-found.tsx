/** The page for a player, match, region or URL that does not exist: says so, and leads on. */

import type { ReactNode } from "react";
import { Link } from "../router.ts";
import { Button } from "./button.tsx";
import { Page } from "./page.tsx";

export function NotFound({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page title={title} name={title}>
      <p>{children} The link may be mistyped or out of date.</p>
      <p className="row">
        <Button look="main" onClick={focusSearch}>
          Search for a player
        </Button>
        <Link className="button" to={{ name: "start" }}>
          Home page
        </Link>
      </p>
    </Page>
  );
}

/** The search is in the header of every page but the start page. */
const focusSearch = (): void => document.querySelector<HTMLElement>("search input")?.focus();
