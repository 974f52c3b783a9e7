/** In charge of what an id may look like. Ids are compared bytewise; these alphabets are ASCII. */

const RESOURCE_ID = /^[A-Za-z0-9_-]{1,64}$/;
const SHARD_ID = /^[a-z0-9-]{1,32}$/;

export const isResourceId = (text: string): boolean => RESOURCE_ID.test(text);
export const isShardId = (text: string): boolean => SHARD_ID.test(text);
