/** Links to the other pages, and an example program. */

import type { ReactNode } from "react";
import { Copy } from "../../kit/copy.tsx";
import { Link } from "../../router.ts";
import { useSession } from "../../session.ts";

export function NextSteps() {
  const { shard } = useSession();
  const search = new URLSearchParams({ ...(shard && { shard }), on: "matches" });
  const code = programFor(shard || "na");
  return (
    <div className="start-next">
      <section aria-labelledby="start-next">
        <div className="start-head">
          <h2 id="start-next">Next steps</h2>
        </div>
        <ul>
          <Step link={<Link to={{ name: "explorer", search }}>Explore matches and players</Link>}>
            Build a query with every filter, then copy it as a URL, curl command or TypeScript.
          </Step>
          <Step
            link={
              <Link to={{ name: "developers", page: "endpoints" }}>Read the API reference</Link>
            }
          >
            Look up every endpoint, parameter and field, and send requests from the page.
          </Step>
          <Step link={<Link to={{ name: "status" }}>Check the status</Link>}>
            See which regions are available and how recent their data is.
          </Step>
        </ul>
      </section>
      <section aria-labelledby="start-program">
        <div className="start-head">
          <h2 id="start-program">TypeScript client</h2>
          <Copy text={code} label="Copy TypeScript example" />
        </div>
        <pre className="code">{code}</pre>
        <p className="start-note">
          The client has no dependencies and ships with Matchbook in the <code>client</code> folder.
          It is fully typed, follows pagination links and waits when you reach a rate limit.
        </p>
      </section>
    </div>
  );
}

function Step({ link, children }: { link: ReactNode; children: ReactNode }) {
  return (
    <li className="start-step">
      <span className="start-step-link">{link}</span>
      <span className="start-step-text">{children}</span>
    </li>
  );
}

const programFor = (shard: string): string => `import { Matchbook } from "matchbook-client";

const matchbook = new Matchbook({
  url: "${location.origin}",
  key: process.env.MATCHBOOK_KEY!,
});

const { items } = await matchbook.shard("${shard}").matches().page();
for (const { createdAt, rosters } of items) {
  const winners = rosters.find(({ won }) => won);
  const [first] = winners?.participants ?? [];
  console.log(createdAt, first?.player?.name);
}`;
