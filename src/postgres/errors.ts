/** Classifies the errors of the PostgreSQL driver. */

/** Errors of the server have an SQLSTATE in `errno`; all others come from the driver. */
const FROM_SERVER = "ERR_POSTGRES_SERVER_ERROR";
const READ_ONLY = "25006";
/** Table, or column. */
const UNDEFINED = /^(42P01|42703)$/;
/** A lock is not available, or there is a deadlock. */
const NOT_LOCKED = /^(55P03|40P01)$/;
const PROTOCOL_VIOLATION = "08P01";
const TOO_MANY_CONNECTIONS = "53300";
/**
 * The server closes or refuses connections, or lost one. Or a replica cancels queries that conflict with recovery; a
 * retry usually succeeds.
 */
const PASSING = /^(57P0|08|40(001|P01)$)/;

/** Corrupted data or indexes, files that cannot be read, and internal errors, to which damaged rows can lead. */
const UNREADABLE = /^(XX|58)/;

/** Invalid user or password, unknown database or schema, missing permission, unknown statement. */
const REFUSED = /^(28|3D|3F|42)/;

export class NoResponse extends Error {
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`);
  }
}

/** The SQLSTATE; something else if the error is not from the server. */
const stateOf = (error: unknown): string =>
  String((error as { errno?: unknown } | undefined)?.errno);

const isFromServer = (error: unknown): boolean =>
  (error as { code?: unknown }).code === FROM_SERVER;

/** Whether the error is temporary, so that another connection or attempt may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NoResponse) return false;
  return !isFromServer(error) || PASSING.test(stateOf(error));
}

/** Whether the server refuses the user or the request, so that a retry fails too. */
export const isRefusal = (error: unknown): boolean =>
  isFromServer(error) && REFUSED.test(stateOf(error));

/** Whether a statement names a table or column that does not exist. */
export const isUndefined = (error: unknown): boolean => UNDEFINED.test(stateOf(error));

/** Whether a statement waited for a lock for too long, or in vain. */
export const isLockTimeout = (error: unknown): boolean => NOT_LOCKED.test(stateOf(error));

/** Whether the server cannot read what the statement asked for, while other rows may be fine. */
export const isUnreadable = (error: unknown): boolean => UNREADABLE.test(stateOf(error));

/** Whether the server is no longer the primary. */
export const isReadOnly = (error: unknown): boolean => stateOf(error) === READ_ONLY;

/** Whether the server (or a pooler) rejects the settings of a new connection. */
export const isSettingRefused = (error: unknown): boolean => stateOf(error) === PROTOCOL_VIOLATION;

/** Whether the server refuses further connections, of all users or of this one. */
export const isFull = (error: unknown): boolean => stateOf(error) === TOO_MANY_CONNECTIONS;
