/** The home page: an example request with its live response, and links to the other pages. */

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
      lead="Completed matches and lifetime player stats for every region, through a read-only JSON:API. All you need is an API key."
    >
      <div className="start-columns">
        <Request />
        <section className="start-response" aria-labelledby="start-response">
          <div className="start-head">
            <h2 id="start-response">
              Response{shard && <span className="start-of"> · newest match in {shard}</span>}
            </h2>
          </div>
          <NewestMatch />
        </section>
      </div>
      <NextSteps />
    </Page>
  );
}
