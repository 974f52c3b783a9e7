/** In charge of many byte strings in one statement: laid one after another, cut apart by the server. */

export interface Blobs {
  /** All of them. */
  bytes: Uint8Array;
  /** Where each begins, counted from 1, as SQL does. */
  starts: number[];
  lengths: number[];
}

export function laidOut(blobs: readonly Uint8Array[]): Blobs {
  const starts: number[] = [];
  let end = 1;
  for (const blob of blobs) {
    starts.push(end);
    end += blob.length;
  }
  return { bytes: Buffer.concat(blobs), starts, lengths: blobs.map(({ length }) => length) };
}
