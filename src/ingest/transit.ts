/**
 * In charge of what crosses between the threads of an ingest, in few large pieces: one JSON text, one
 * text, one piece of memory. Many small objects would cost more to hand over than to make.
 */

import type { CarriedText } from "../document/record.ts";
import type { StoredMatch } from "../store/store.ts";
import type { Parcel } from "./parcels.ts";
import type { Kept, Outline } from "./prepare.ts";
import type { Arrival, WrittenDocument } from "./reading.ts";

/**
 * To the reading thread: a parcel, with the request to keep all its records; or without, and later
 * which of them are wanted.
 */
export type Order =
  | { kind: "read"; number: number; parcel: Omit<Parcel, "failure">; keepAll: boolean }
  | { kind: "keep"; number: number; wanted: boolean[] };

/** From the reading thread, in answer to each. */
export type Delivery =
  | { kind: "ready" }
  | ({ kind: "read"; number: number; rejected: Uint8Array[]; kept?: PackedKept } & PackedContents)
  | { kind: "kept"; number: number; kept: PackedKept };

export interface PackedContents {
  contents: string;
  hashes: ArrayBuffer;
}

export interface PackedKept {
  meta: string;
  texts: string;
  bytes: ArrayBuffer;
}

const HASH_BYTES = 16;

/** What is told of each document; the outlines have gold as text, since JSON has no such numbers. */
interface DocumentNote {
  line: number;
  size: number;
  isRejected: boolean;
  outlines: OutlineNote[];
}

type OutlineNote = Omit<Outline, "players"> & {
  players: { id: string; part?: { won: boolean; gold: string } }[];
};

export function packContents(documents: WrittenDocument[]): PackedContents {
  const hashes: Uint8Array[] = [];
  const notes = documents.map(({ line, size, rejections, written }): DocumentNote => {
    for (const { text } of written) hashes.push(text.contentHash);
    const outlines = written.map(({ outline }) => noteOf(outline));
    return { line, size, isRejected: rejections.length > 0, outlines };
  });
  return { contents: JSON.stringify(notes), hashes: joined(hashes) };
}

export interface UnpackedDocument {
  isRejected: boolean;
  arrivals: Arrival[];
}

export function unpackContents({ contents, hashes }: PackedContents): UnpackedDocument[] {
  let at = 0;
  return (JSON.parse(contents) as DocumentNote[]).map(({ line, size, isRejected, outlines }) => ({
    isRejected,
    arrivals: outlines.map((note): Arrival => {
      const contentHash = new Uint8Array(hashes, at, HASH_BYTES);
      at += HASH_BYTES;
      const bytes = size / outlines.length;
      return { line, bytes, outline: outlineFrom(note), contentHash, kept: undefined };
    }),
  }));
}

function noteOf(outline: Outline): OutlineNote {
  return {
    ...outline,
    players: outline.players.map(({ id, part }) =>
      part ? { id, part: { won: part.won, gold: part.gold.toString() } } : { id },
    ),
  };
}

function outlineFrom(note: OutlineNote): Outline {
  return {
    ...note,
    players: note.players.map(({ id, part }) => ({
      id,
      part: part && { won: part.won, gold: BigInt(part.gold) },
    })),
  };
}

/** The members of a stored record that are bytes go by their lengths, the others as they are. */
interface KeptNote {
  plain: Record<string, unknown>;
  lengths: [name: string, length: number][];
  players: NamedNote[];
  teams: NamedNote[];
}

type NamedNote = [id: string, resource: number, companions: number];

export function packKept(kept: Kept[]): PackedKept {
  const pieces: Uint8Array[] = [];
  let texts = "";
  const named = ({ id, resource, companions }: CarriedText): NamedNote => {
    texts += resource + companions;
    return [id, resource.length, companions.length];
  };
  const notes = kept.map(({ stored, players, teams }): KeptNote => {
    const plain: KeptNote["plain"] = {};
    const lengths: KeptNote["lengths"] = [];
    for (const [name, value] of Object.entries(stored)) {
      if (value instanceof Uint8Array) {
        pieces.push(value);
        lengths.push([name, value.length]);
      } else plain[name] = value;
    }
    return { plain, lengths, players: players.map(named), teams: teams.map(named) };
  });
  return { meta: JSON.stringify(notes), texts, bytes: joined(pieces) };
}

export function unpackKept({ meta, texts, bytes }: PackedKept): Kept[] {
  let byteAt = 0;
  let textAt = 0;
  const text = (length: number) => {
    textAt += length;
    return texts.slice(textAt - length, textAt);
  };
  const named = ([id, resource, companions]: NamedNote): CarriedText => ({
    id,
    resource: text(resource),
    companions: text(companions),
  });
  return (JSON.parse(meta) as KeptNote[]).map(({ plain, lengths, players, teams }) => {
    const stored: Record<string, unknown> = { ...plain };
    for (const [name, length] of lengths) {
      stored[name] = new Uint8Array(bytes, byteAt, length);
      byteAt += length;
    }
    return {
      stored: stored as unknown as StoredMatch,
      players: players.map(named),
      teams: teams.map(named),
    };
  });
}

function joined(pieces: Uint8Array[]): ArrayBuffer {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.buffer;
}
