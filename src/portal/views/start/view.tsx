/** In charge of the page "Start": what this is, how to ask, what comes back, and where to go on. */

import "./view.css";
import { Page } from "../../kit/page.tsx";
import { useSession } from "../../session.ts";
import { NewestMatch } from "./newest.tsx";
import { NextSteps } from "./next-steps.tsx";
import { Request } from "./request.tsx";

export default function Start() {
  const { shard } = useSession();
  return (
    <Page
      name="Matchbook"
      title="Every finished match, one request away"
      lead="Matchbook serves the completed matches of an online game and the lifetime records of its players, region by region. It is read-only, answers in JSON:API, and all it takes is a key."
    >
      <div className="start-columns">
        <Request />
        <section className="start-response" aria-labelledby="start-response">
          <div className="start-head">
            <h2 id="start-response">
              The reply{shard && <span className="start-of"> · newest match of {shard}</span>}
            </h2>
          </div>
          <NewestMatch />
        </section>
      </div>
      <NextSteps />
    </Page>
  );
}
