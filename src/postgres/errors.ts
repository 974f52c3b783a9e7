/** What the driver's failures mean for us. */

/** What the server says has a code of SQL's own in `errno`; all else comes from the driver. */
const FROM_SERVER = "ERR_POSTGRES_SERVER_ERROR";
const READ_ONLY = "25006";
const PROTOCOL_VIOLATION = "08P01";
/** The server ends connections, does not take any, or lost one of its own. */
const CONNECTION_ENDED = /^(57P0|08)/;

/** A replica ends readers that are in the way of what it takes over; who asks again is mostly not. */
const IN_THE_WAY = /^40(001|P01)$/;

/** A wrong user or password, no such database or schema, a missing right, a statement it does not know. */
const REFUSED = /^(28|3D|3F|42)/;

export class NoAnswer extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
  }
}

/** Whether it was the connection or the moment, so that another one may do better. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NoAnswer) return false;
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (code !== FROM_SERVER) return true;
  return CONNECTION_ENDED.test(String(errno)) || IN_THE_WAY.test(String(errno));
}

/** Whether the server has said no to who we are or what we ask for, and will say so again. */
export function isRefusal(error: unknown): boolean {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return code === FROM_SERVER && REFUSED.test(String(errno));
}

/** Whether the server at the other end is no longer the one that may be written to. */
export function isReadOnly(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === READ_ONLY;
}

/** Whether the other end does not take what a connection asked for when it came about. */
export function isSettingRefused(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === PROTOCOL_VIOLATION;
}
