/** What the page of a player or a match shows instead of it: that a key is needed, or why it failed to load. */

import type { ReactNode } from "react";
import { useSession } from "../session.ts";
import type { Load } from "./load.ts";
import { NeedsKey } from "./needs-key.tsx";
import { NotFound } from "./not-found.tsx";
import { Page } from "./page.tsx";
import { isNotFound, Problem } from "./problem.tsx";

type Kind = "Player" | "Match";

export function KeyPage({ kind, children }: { kind: Kind; children: ReactNode }) {
  const { access } = useSession();
  if (access !== "none") return children;
  return (
    <Page title={kind} name={kind}>
      <NeedsKey what={`this ${kind.toLowerCase()}`} />
    </Page>
  );
}

interface FailedProps {
  kind: Kind;
  shard: string;
  load: Load<unknown>;
}

export function FailedPage({ kind, shard, load: { error, retry } }: FailedProps) {
  if (isNotFound(error)) {
    return (
      <NotFound title={`${kind} not found`}>
        There is no such {kind.toLowerCase()} in {shard.toUpperCase()}.
      </NotFound>
    );
  }
  return (
    <Page title={kind} name={kind}>
      <Problem error={error} retry={retry} />
    </Page>
  );
}
