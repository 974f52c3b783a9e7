/** The live response: the newest match of the region, as a scoreboard and as JSON. */

import type { Matchbook } from "../../../../client/src/index.ts";
import { clock, clockInWords } from "../../format.ts";
import { useLoad } from "../../kit/load.ts";
import { Empty, Loaded } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { modeName } from "../../names.ts";
import { Link } from "../../router.ts";
import { askForKey, useSession } from "../../session.ts";
import { recordOf } from "../match/read.ts";
import { type Scoreboard, scoreboardOf } from "../match/scoreboard.ts";
import { Side } from "./side.tsx";

export function NewestMatch() {
  const { key, offeredKey, setKey } = useSession();
  if (key) return <Live />;
  return (
    <div className="start-room">
      <Empty title="Add a key to see a live match">
        <p>Matches and players need an API key. It stays in this browser.</p>
        <p className="start-keys">
          {offeredKey && (
            <button type="button" className="button button-main" onClick={() => setKey(offeredKey)}>
              Use the demo key
            </button>
          )}
          <button type="button" className="button" onClick={() => askForKey()}>
            {offeredKey ? "Use another key" : "Enter an API key"}
          </button>
        </p>
      </Empty>
    </div>
  );
}

function Live() {
  const { matchbook, shard } = useSession();
  const load = useLoad((signal) => newestOf(matchbook, shard, signal), [matchbook, shard]);
  return (
    <div className="start-room">
      <Loaded load={load} label="Loading the newest match" lines={7}>
        {(newest) => (newest === undefined ? <NoMatch shard={shard} /> : <Newest {...newest} />)}
      </Loaded>
    </div>
  );
}

function NoMatch({ shard }: { shard: string }) {
  if (shard === "") {
    return (
      <Empty title="No regions yet">
        <p>Regions appear once match data is loaded.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No matches in this region yet">
      <p>Matches appear when they end. Try another region in the meantime.</p>
    </Empty>
  );
}

interface NewestFacts {
  shard: string;
  match: ReturnType<typeof recordOf>;
  board: Scoreboard;
  text: string;
}

function Newest({ shard, match, board, text }: NewestFacts) {
  return (
    <>
      <article className="card start-match">
        <header className="start-match-head">
          <h3>
            <Link to={{ name: "match", shard, id: match.id }}>{modeName(match.gameMode)}</Link>
          </h3>
          <p className="start-facts">
            <Time iso={match.createdAt} />
            <span title={clockInWords(match.duration)}>
              <span className="visually-hidden">lasted </span>
              {clock(match.duration)}
            </span>
            {match.patchVersion && <span>patch {match.patchVersion}</span>}
          </p>
        </header>
        <div className="start-sides">
          {board.sides.map((side) => (
            <Side key={side.id} side={side} shard={shard} />
          ))}
        </div>
      </article>
      <details className="start-json">
        <summary>View JSON</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard. */}
        <section className="code start-text" tabIndex={0} aria-label="JSON response">
          {text}
        </section>
      </details>
    </>
  );
}

/** Undefined if there is none. The second request is for matches older than the default window of four weeks. */
async function newestOf(
  matchbook: Matchbook,
  shard: string,
  signal: AbortSignal,
): Promise<NewestFacts | undefined> {
  if (shard === "") return undefined;
  const request = (start?: string) =>
    matchbook
      .shard(shard)
      .matches({ sort: "-createdAt", limit: 1, createdAtStart: start, signal })
      .page();
  let page = await request();
  if (page.items.length === 0) {
    const { shards } = await matchbook.status({ signal });
    const newest = shards.find(({ id }) => id === shard)?.newestMatch;
    if (newest) page = await request(newest);
  }
  const [match] = page.items;
  if (!match) return undefined;
  const record = recordOf(match);
  const text = JSON.stringify(page.document, null, 2);
  return { shard, match: record, board: scoreboardOf(record), text };
}
