/** The developer area: quick start, keys, guides, endpoints, usage and changelog. */

import type { DevelopersPage } from "../../router.ts";
import { Endpoints } from "./endpoints.tsx";
import { Changelog, Guides } from "./guides.tsx";
import { Keys } from "./keys.tsx";
import { QuickStart } from "./quick-start.tsx";
import { UsagePage } from "./usage.tsx";

interface Props {
  page: DevelopersPage;
  guide?: string | undefined;
}

export default function Developers({ page, guide }: Props) {
  switch (page) {
    case "quick-start":
      return <QuickStart />;
    case "keys":
      return <Keys />;
    case "guides":
      return <Guides guide={guide} />;
    case "endpoints":
      return <Endpoints />;
    case "usage":
      return <UsagePage />;
    case "changelog":
      return <Changelog />;
  }
}
