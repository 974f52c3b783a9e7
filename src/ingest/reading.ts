/** In charge of reading a parcel: what it holds, and of that, whatever is wanted, made ready to be kept. */

import { type Parcel, textsIn } from "./parcels.ts";
import { type Kept, keep, type Outline, type Written, write } from "./prepare.ts";
import { type ReadingContext, type Rejection, readDocument } from "./records.ts";

/** A record on its way in. */
export interface Arrival {
  line: number;
  /** What of its document it takes in memory, roughly. */
  bytes: number;
  outline: Outline;
  contentHash: Uint8Array;
  /** Undefined when it was not wanted: the shard has a record with this id already. */
  kept: Kept | undefined;
}

/** What a document turned out to hold. */
export interface DocumentContent {
  rejections: Rejection[];
  arrivals: Arrival[];
}

/** Decides which of these are to be kept, one answer for each. */
export type Wanted = (arrivals: readonly Arrival[]) => Promise<boolean[]>;

/** Reads parcels, in whatever thread. The bytes of a parcel are not to be used afterwards. */
export type ReadParcel = (parcel: Parcel, wanted: Wanted) => Promise<DocumentContent[]>;

export type ParcelContext = Omit<ReadingContext, "now">;

export interface WrittenDocument {
  rejections: Rejection[];
  written: Written[];
  size: number;
  line: number;
}

/** The first step: reads every document of a parcel, and writes its records canonically. */
export function readDocuments(parcel: Parcel, context: ParcelContext): WrittenDocument[] {
  const moment = { ...context, now: parcel.now };
  return textsIn(parcel).map((text) => {
    const { records, rejections } = readDocument(text, parcel.source, moment);
    return {
      rejections,
      written: records.map(write),
      size: text.bytes?.length ?? 0,
      line: text.line,
    };
  });
}

/** A record of a document, not kept yet. */
function arrivalOf({ line, size, written }: WrittenDocument, one: Written): Arrival {
  const { outline, text } = one;
  const bytes = size / written.length;
  return { line, bytes, outline, contentHash: text.contentHash, kept: undefined };
}

/** Reads in this thread. */
export function readHere(context: ParcelContext): ReadParcel {
  return async (parcel, wanted) => {
    const documents = readDocuments(parcel, context);
    const contents = documents.map((document) => ({
      rejections: document.rejections,
      arrivals: document.written.map((one) => arrivalOf(document, one)),
    }));
    const arrivals = contents.flatMap((content) => content.arrivals);
    const written = documents.flatMap((document) => document.written);
    const answers = await wanted(arrivals);
    arrivals.forEach((arrival, at) => {
      if (answers[at]) arrival.kept = keep(written[at]!);
    });
    return contents;
  };
}
