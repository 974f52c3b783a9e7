/** In charge of a reading thread: reads the parcels it is sent, and keeps of them what is wanted. */

import { textsIn } from "./parcels.ts";
import { keep, type Written } from "./prepare.ts";
import { type ParcelContext, readDocuments } from "./reading.ts";
import { type Delivery, type Order, packContents, packKept } from "./transit.ts";

declare const self: Worker;

let context: ParcelContext;
/** What was read, until it is known what of it is wanted. */
const waiting = new Map<number, Written[]>();

self.onmessage = ({ data }: MessageEvent<ParcelContext | Order>) => {
  if (!("kind" in data)) {
    context = data;
    send({ kind: "ready" }, []);
  } else if (data.kind === "read") read(data);
  else keepWanted(data);
};

function read({ number, parcel, keepAll }: Order & { kind: "read" }): void {
  const documents = readDocuments({ ...parcel, failure: undefined }, context);
  const written = documents.flatMap((document) => document.written);
  // Rejections are not sent: whoever has the text of a document can find them again.
  const texts = textsIn({ ...parcel, failure: undefined });
  const rejected = documents.flatMap(({ rejections }, at) =>
    rejections.length > 0 ? [new Uint8Array(texts[at]!.bytes ?? [])] : [],
  );
  const packed = { kind: "read", number, rejected, ...packContents(documents) } as const;
  if (keepAll) {
    const kept = packKept(written.map(keep));
    send({ ...packed, kept }, [packed.hashes, kept.bytes]);
  } else {
    waiting.set(number, written);
    send(packed, [packed.hashes]);
  }
}

function keepWanted({ number, wanted }: Order & { kind: "keep" }): void {
  const written = waiting.get(number)!;
  waiting.delete(number);
  const kept = packKept(written.filter((_, at) => wanted[at]).map(keep));
  send({ kind: "kept", number, kept }, [kept.bytes]);
}

function send(delivery: Delivery, transfer: ArrayBuffer[]): void {
  self.postMessage(delivery, transfer);
}
