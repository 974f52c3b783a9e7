/** The developer area: quick start, keys, guides, endpoints, usage and changelog. */

import { lazy, Suspense } from "react";
import { Page } from "../../kit/page.tsx";
import { Loading } from "../../kit/states.tsx";
import { type DevelopersPage, Link } from "../../router.ts";

const Reference = lazy(() => import("../reference/view.tsx"));

interface Props {
  page: DevelopersPage;
  guide?: string | undefined;
}

export default function Developers({ page, guide }: Props) {
  if (page === "endpoints") {
    return (
      <Suspense fallback={<Loading label="Loading page" lines={8} />}>
        <Reference />
      </Suspense>
    );
  }
  return (
    <Page name="Developers" title="Developers">
      <p>
        {page} {guide}
      </p>
      <p>
        <Link to={{ name: "explorer", search: new URLSearchParams() }}>Explorer</Link> ·{" "}
        <Link to={{ name: "developers", page: "endpoints" }}>Endpoints</Link>
      </p>
    </Page>
  );
}
