/** The format of ids. Ids are ASCII and compared byte by byte. */

/** Strings, because the published schemas contain them. */
export const ID_PATTERN = "^[A-Za-z0-9_-]{1,64}$";
export const SHARD_PATTERN = "^[a-z0-9-]{1,32}$";

const RESOURCE_ID = new RegExp(ID_PATTERN);
const SHARD_ID = new RegExp(SHARD_PATTERN);

export const isResourceId = (text: string): boolean => RESOURCE_ID.test(text);
export const isShardId = (text: string): boolean => SHARD_ID.test(text);
