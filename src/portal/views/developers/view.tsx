/** The developer area: quick start, keys, guides, endpoints, usage and changelog. */

import type { ComponentType } from "react";
import type { DevelopersPage } from "../../router.ts";
import { Endpoints } from "./endpoints.tsx";
import { Changelog, Guides } from "./guides.tsx";
import { Keys } from "./keys.tsx";
import { QuickStart } from "./quick-start.tsx";
import { UsagePage } from "./usage.tsx";

type Props = { guide?: string | undefined };

const PAGES: Readonly<Record<DevelopersPage, ComponentType<Props>>> = {
  "quick-start": QuickStart,
  keys: Keys,
  guides: Guides,
  endpoints: Endpoints,
  usage: UsagePage,
  changelog: Changelog,
};

export default function Developers({ page, guide }: Props & { page: DevelopersPage }) {
  const Shown = PAGES[page];
  return <Shown guide={guide} />;
}
