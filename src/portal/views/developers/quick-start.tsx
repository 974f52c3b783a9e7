/** The quick start: a key, a first request that can be sent from the page, and where to go on. */

import "./quick-start.css";
import { type ReactNode, useState } from "react";
import { Code } from "../../kit/code.tsx";
import { useLoad } from "../../kit/load.ts";
import { Problem } from "../../kit/states.tsx";
import { useSession } from "../../session.ts";
import { newQuery, searchOf, withValue } from "../explorer/query.ts";
import { pathOf } from "../explorer/request.ts";
import { DeveloperPage, LinkCard } from "./layout.tsx";
import { OwnKey } from "./own-key.tsx";
import { Sample } from "./sample.tsx";

export function QuickStart() {
  const { shard } = useSession();
  const newest = newQuery("matches", shard);
  const path = pathOf(withValue(newest, "page[limit]", "1"));
  return (
    <DeveloperPage
      current="quick-start"
      lead="A read-only JSON:API for completed matches and lifetime player records. From nothing to the newest match in three steps."
    >
      <ol className="stack quick-steps">
        <Step number={1} title="Get a key">
          <OwnKey />
        </Step>
        <Step number={2} title="Send a request">
          <p className="quick-text soft">
            The newest match of a region, with both rosters, their participants and players. Copy it
            into a terminal or an editor: it contains your key, if you have entered one.
          </p>
          <Sample path={path} />
          <TryOut key={path} path={path} />
        </Step>
        <Step number={3} title="Go on">
          <ul className="quick-links">
            <LinkCard to={{ name: "explorer", search: searchOf(newest) }} title="Explorer">
              Build a query with every filter, see the result, and copy it as code.
            </LinkCard>
            <LinkCard to={{ name: "developers", page: "endpoints" }} title="Endpoints">
              Every endpoint, parameter and field.
            </LinkCard>
            <LinkCard
              to={{ name: "developers", page: "guides", guide: "events" }}
              title="Change feed"
            >
              Follow matches as they are added, without polling.
            </LinkCard>
            <LinkCard to={{ name: "developers", page: "guides" }} title="Guides">
              Paging, errors, limits, caching, webhooks.
            </LinkCard>
          </ul>
          <p className="quick-text soft">
            A typed client for TypeScript, which follows pages and waits when you reach a rate
            limit, is in the <code>client</code> folder of Matchbook; it is not on npm yet. Other
            languages: generate a client from <a href="/openapi.json">openapi.json</a>.
          </p>
        </Step>
      </ol>
    </DeveloperPage>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li>
      <div className="row quick-head">
        <span className="quick-number" aria-hidden="true">
          {number}
        </span>
        <h2>{title}</h2>
      </div>
      <div className="stack quick-body">{children}</div>
    </li>
  );
}

/** Sends the request from the page, so that a visitor sees a response before the first line of code. */
function TryOut({ path }: { path: string }) {
  const { access } = useSession();
  const [times, setTimes] = useState(0);
  const load = useLoad(`try ${path} ${times}`, async (matchbook, signal) =>
    times === 0 ? undefined : matchbook.get(path, { signal }),
  );
  if (access === "none") return null;
  const send = () => setTimes(times + 1);
  const response = load.state === "failed" ? undefined : load.value;
  return (
    <>
      <p className="row small soft quick-send">
        <button
          type="button"
          className="button button-main"
          onClick={send}
          aria-busy={load.state === "loading"}
        >
          Send it from here
        </button>
        <span role="status">
          {response && `${response.status} in ${Math.round(response.milliseconds)} ms`}
        </span>
      </p>
      {load.state === "failed" && <Problem error={load.error} retry={send} />}
      {response && (
        <div className="quick-response">
          <Code
            language="json"
            text={JSON.stringify(response.document, null, 2)}
            label="Response"
          />
        </div>
      )}
    </>
  );
}
