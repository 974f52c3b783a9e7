/** Classifies the errors of the PostgreSQL driver. */

/** Errors of the server have an SQLSTATE in `errno`; all others come from the driver. */
const FROM_SERVER = "ERR_POSTGRES_SERVER_ERROR";
const READ_ONLY = "25006";
const UNDEFINED_TABLE = "42P01";
const UNDEFINED_COLUMN = "42703";
const LOCK_NOT_AVAILABLE = "55P03";
const PROTOCOL_VIOLATION = "08P01";
const TOO_MANY_CONNECTIONS = "53300";
/** The server closes or refuses connections, or lost one. */
const CONNECTION_ENDED = /^(57P0|08)/;

/** Corrupted data or indexes, files that cannot be read, and internal errors, to which damaged rows can lead. */
const UNREADABLE = /^(XX|58)/;
const DEADLOCK = "40P01";

/** A replica cancels queries that conflict with recovery; a retry usually succeeds. */
const CONFLICT = /^40(001|P01)$/;

/** Invalid user or password, unknown database or schema, missing permission, unknown statement. */
const REFUSED = /^(28|3D|3F|42)/;

export class NoResponse extends Error {
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`);
  }
}

/** Whether the error is temporary, so that another connection or attempt may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NoResponse) return false;
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  if (code !== FROM_SERVER) return true;
  return CONNECTION_ENDED.test(String(errno)) || CONFLICT.test(String(errno));
}

/** Whether the server refuses the user or the request, so that a retry fails too. */
export function isRefusal(error: unknown): boolean {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return code === FROM_SERVER && REFUSED.test(String(errno));
}

/** Whether a statement names a table or column that does not exist. */
export function isUndefined(error: unknown): boolean {
  const errno = (error as { errno?: unknown } | undefined)?.errno;
  return errno === UNDEFINED_TABLE || errno === UNDEFINED_COLUMN;
}

/** Whether a statement waited for a lock for too long, or in vain. */
export function isLockTimeout(error: unknown): boolean {
  const errno = (error as { errno?: unknown } | undefined)?.errno;
  return errno === LOCK_NOT_AVAILABLE || errno === DEADLOCK;
}

/** Whether the server cannot read what the statement asked for, while other rows may be fine. */
export function isUnreadable(error: unknown): boolean {
  return UNREADABLE.test(String((error as { errno?: unknown } | undefined)?.errno));
}

/** Whether the server is no longer the primary. */
export function isReadOnly(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === READ_ONLY;
}

/** Whether the server (or a pooler) rejects the settings of a new connection. */
export function isSettingRefused(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === PROTOCOL_VIOLATION;
}

/** Whether the server refuses further connections, of all users or of this one. */
export function isFull(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === TOO_MANY_CONNECTIONS;
}
