/** In charge of the failure that leaves open what happened. */

import { StoreAway } from "../store.ts";

/** The connection broke while the end of a transaction was asked for: it may have happened or not. */
export class CommitInDoubt extends StoreAway {
  override name = "CommitInDoubt";
}
