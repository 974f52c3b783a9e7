/** The heroes of a region: how often each is played, and how often it wins. */

import { Page } from "../../kit/page.tsx";

export default function Heroes({ shard }: { shard: string; search: URLSearchParams }) {
  return (
    <Page name={`Heroes · ${shard}`} title="Heroes">
      <p>Region {shard}</p>
    </Page>
  );
}
