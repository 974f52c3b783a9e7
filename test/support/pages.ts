/** In charge of walking a collection by its links. */

import type { Reply, World } from "./world.ts";

/** Longer walks are circles. */
const LONGEST_WALK = 200;

/**
 * The pages from this one on, following one link until there is none. Between two pages `meanwhile`
 * may change the world.
 */
export async function walk(
  world: World,
  path: string,
  link: "next" | "prev",
  meanwhile: (page: Reply, index: number) => Promise<void> = async () => {},
): Promise<Reply[]> {
  const pages: Reply[] = [];
  for (let address: string | undefined = path; address !== undefined; ) {
    const page: Reply = await world.get(address);
    if (page.status !== 200) throw new Error(`${address} gave ${page.status}: ${page.text}`);
    if (pages.push(page) > LONGEST_WALK) throw new Error(`the walk from ${path} does not end`);
    address = page.body.links[link];
    if (address !== undefined) await meanwhile(page, pages.length - 1);
  }
  return pages;
}
