/** In charge of the error about keys and usage that cannot be used. */

/** Why they cannot be used, in words meant for the operator. */
export class AccessError extends Error {
  override name = "AccessError";
}

/** The database of keys and usage does not answer, or not as it should: it may be back soon. */
export class AccessAway extends AccessError {
  override name = "AccessAway";
}
