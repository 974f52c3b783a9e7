/** In charge of the ways to go on from the start. */

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
          <h2 id="start-next">Go on</h2>
        </div>
        <ul>
          <Way link={<Link to={{ name: "explorer", search }}>Explore the records</Link>}>
            Every filter in a form. See the address, the curl line and the TypeScript of your query
            as you change it.
          </Way>
          <Way link={<Link to={{ name: "reference" }}>Read the reference</Link>}>
            Every address, parameter and field, to be tried out right there.
          </Way>
          <Way link={<Link to={{ name: "status" }}>See the status</Link>}>
            Which shards there are, and how fresh each of them is.
          </Way>
        </ul>
      </section>
      <section aria-labelledby="start-program">
        <div className="start-head">
          <h2 id="start-program">In TypeScript</h2>
          <Copy text={code} label="Copy the TypeScript program" />
        </div>
        <pre className="code">{code}</pre>
        <p className="start-note">
          The client has no dependencies and comes with Matchbook, in its folder <code>client</code>
          . It knows the types, follows pages and waits when a limit is reached.
        </p>
      </section>
    </div>
  );
}

function Way({ link, children }: { link: ReactNode; children: ReactNode }) {
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
