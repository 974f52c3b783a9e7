/** The leaderboards of a region. */

import { Page } from "../../kit/page.tsx";

interface Props {
  shard: string;
  board: string;
  search: URLSearchParams;
}

export default function Leaderboard({ shard, board }: Props) {
  return (
    <Page name={`Leaderboards · ${shard}`} title="Leaderboards">
      <p>
        {board} in region {shard}
      </p>
    </Page>
  );
}
