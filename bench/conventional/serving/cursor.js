// @ts-check
/** Page cursors: the last match of a page, as an opaque URL-safe string. */

/** @typedef {{ createdAt: number, id: string }} Cursor */

/** @param {Cursor} cursor */
export function encodeCursor({ createdAt, id }) {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

/**
 * @param {string} text
 * @returns {Cursor | undefined}
 */
export function decodeCursor(text) {
  const parts = /^(-?\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(text, "base64url").toString());
  return parts ? { createdAt: Number(parts[1]), id: /** @type {string} */ (parts[2]) } : undefined;
}
