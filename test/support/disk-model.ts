/**
 * A model of a folder on a disk that keeps only what was synced. It replays recorded system calls: written bytes are
 * safe after a sync of their file, names after a sync of their folder, both in any order before that.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Call } from "./system-calls.ts";

/** What a disk writes in one step. */
const SECTOR = 512;

interface Change {
  /** When the call had ended: a sync that began before need not include it. */
  to: number;
}

type Write = Change & ({ at: number; bytes: Buffer } | { length: number });

class File {
  size: number;
  unsynced: Write[] = [];

  constructor(public synced: Buffer = Buffer.alloc(0)) {
    this.size = synced.length;
  }
}

/** One step for several names, e.g. a renaming; undefined removes a name. */
type Naming = Change & { names: [string, Node | undefined][] };

class Folder {
  names = new Map<string, Node>();
  synced = new Map<string, Node>();
  unsynced: Naming[] = [];

  change(to: number, ...names: Naming["names"]): void {
    for (const [name, node] of names) set(this.names, name, node);
    this.unsynced.push({ to, names });
  }
}

type Node = File | Folder;

/** Decides what a power cut leaves of what was not synced. */
export interface Luck {
  /** Whether one change of names in a folder is kept. */
  keepsName(): boolean;
  /** How many of the sectors of a file are kept, from 0 to 1; asked once for each file. */
  share(): number;
  /** Whether one sector is kept. */
  keepsSector(share: number): boolean;
}

/** Nothing is kept that was not synced. */
export const WORST: Luck = { keepsName: () => false, share: () => 0, keepsSector: () => false };

/** Random, with files and names of all kinds: completely lost, completely kept, or in part. */
export function luckOf(random: () => number): Luck {
  const names = random();
  return {
    keepsName: () => random() < names,
    share: () => [0, 1, random()][Math.floor(random() * 3)]!,
    keepsSector: (share) => random() < share,
  };
}

/** The index of a WAL is in memory: SQLite never syncs it, and rebuilds it. */
const isIndex = (name: string) => name.endsWith("-shm");
const isDatabase = (name: string) => /^[a-z0-9-]+\.(db|sqlite)$/.test(name);

export class DiskModel {
  /** Where the order of calls would let a power cut destroy something. */
  readonly mistakes: string[] = [];
  readonly #top: Folder;
  readonly #positions = new Map<string, number>();

  /** What is in the folder now is on the disk. */
  constructor(private readonly root: string) {
    this.#top = load(root);
  }

  /** Replays calls in their order. */
  play(calls: readonly Call[]): void {
    for (const call of calls) this.#apply(call);
  }

  /** What a power cut now could take: files with bytes, and names, that are not synced. */
  atRisk(): string[] {
    return this.#risks(this.#top, this.root).sort();
  }

  /** Writes what a power cut now leaves into an empty folder. */
  cut(into: string, luck: Luck): void {
    leave(this.#top, into, luck);
  }

  #apply(call: Call): void {
    const { name, path, to } = call;
    if (!this.#isInside(path)) return;
    if (/^(open|openat|creat)$/.test(name)) this.#open(call);
    else if (/^mkdir/.test(name)) this.#name(to, [path, new Folder()]);
    else if (/^(rename|link)/.test(name)) this.#rename(call);
    else if (/^(unlink|rmdir)/.test(name)) this.#remove(call);
    else if (/^f(data)?sync$/.test(name)) this.#sync(call);
    else this.#change(call);
  }

  #rename({ name, path, other, to }: Call): void {
    const node = this.#find(path);
    if (node instanceof File && node.unsynced.length > 0) {
      this.#mistake(`${this.#shown(path)} is named ${this.#shown(other)} before it is synced`);
    }
    if (isDatabase(basename(other)) && this.#mayComeBack(`${other}-wal`)) {
      this.#mistake(
        `${this.#shown(other)} is replaced before the removal of its old log is synced`,
      );
    }
    if (name.startsWith("link")) this.#name(to, [other, node]);
    else this.#name(to, [path, undefined], [other, node]);
  }

  #remove({ path, to }: Call): void {
    this.#checkReset(path);
    this.#name(to, [path, undefined]);
  }

  #change({ name, path, descriptor, rest, bytes, to }: Call): void {
    const file = this.#find(path);
    // Otherwise it is unlinked, but still open.
    if (!(file instanceof File)) return;
    if (name === "write") {
      const key = `${descriptor} ${path}`;
      const at = this.#positions.get(key) ?? 0;
      this.#positions.set(key, at + bytes.length);
      this.#write(file, path, { to, at, bytes });
    } else if (name === "pwrite64") this.#write(file, path, { to, at: lastNumber(rest), bytes });
    else if (name === "ftruncate") this.#truncate(file, path, { to, length: lastNumber(rest) });
    else throw new Error(`the model does not know ${name} (${path})`);
  }

  #open({ path, descriptor, rest, to }: Call): void {
    if (!rest.includes("O_CREAT") && !rest.includes("O_TRUNC")) return;
    let file = this.#find(path);
    if (!file) {
      file = new File();
      this.#name(to, [path, file]);
    }
    if (!(file instanceof File)) return;
    if (rest.includes("O_TRUNC") && file.size > 0) this.#truncate(file, path, { to, length: 0 });
    this.#positions.set(`${descriptor} ${path}`, rest.includes("O_APPEND") ? file.size : 0);
  }

  #write(file: File, path: string, write: Change & { at: number; bytes: Buffer }): void {
    if (isDatabase(basename(path))) this.#checkWritten(path);
    if (write.at === 0) this.#checkReset(path);
    file.size = Math.max(file.size, write.at + write.bytes.length);
    file.unsynced.push(write);
  }

  #truncate(file: File, path: string, write: Change & { length: number }): void {
    this.#checkReset(path);
    file.size = write.length;
    file.unsynced.push(write);
  }

  #sync({ path, from }: Call): void {
    const node = path === this.root ? this.#top : this.#find(path);
    if (!node) return;
    const isOver = ({ to }: Change) => to < from;
    if (node instanceof File) {
      node.synced = written(node.synced, node.unsynced.filter(isOver));
      node.unsynced = node.unsynced.filter((one) => !isOver(one));
    } else {
      for (const { names } of node.unsynced.filter(isOver)) {
        for (const [name, named] of names) set(node.synced, name, named);
      }
      node.unsynced = node.unsynced.filter((one) => !isOver(one));
    }
  }

  /** A database is changed only while its WAL or journal, which can complete or undo the change, is on the disk. */
  #checkWritten(path: string): void {
    const wal = this.#find(`${path}-wal`);
    const journal = this.#find(`${path}-journal`);
    const hasContent = (node: Node | undefined) => node instanceof File && node.size > 0;
    const isSafe = (node: Node | undefined) =>
      node instanceof File && node.size > 0 && node.unsynced.length === 0;
    if (hasContent(wal) ? !isSafe(wal) : !isSafe(journal)) {
      this.#mistake(`${this.#shown(path)} is written before its log is synced`);
    }
  }

  /** A WAL is emptied, overwritten or removed only when everything in it is in the database, on the disk. */
  #checkReset(path: string): void {
    const [, database] = /^(.*)-wal$/.exec(path) ?? [];
    const wal = this.#find(path);
    if (database === undefined || !(wal instanceof File) || wal.size === 0) return;
    const file = this.#find(database);
    if (isDatabase(basename(database)) && file instanceof File && file.unsynced.length > 0) {
      this.#mistake(`${this.#shown(path)} is reset before ${basename(database)} is synced`);
    }
  }

  /** Whether a name was removed, and its folder not synced since. */
  #mayComeBack(path: string): boolean {
    const folder = this.#find(dirname(path));
    if (!(folder instanceof Folder) || folder.names.has(basename(path))) return false;
    return folder.synced.has(basename(path));
  }

  #mistake(text: string): void {
    if (!this.mistakes.includes(text)) this.mistakes.push(text);
  }

  #risks(folder: Folder, path: string): string[] {
    const found: string[] = [];
    for (const { names } of folder.unsynced) {
      for (const [name, node] of names) {
        // Without its removal, a journal undoes the transaction. Others may come back.
        if (isIndex(name) || (node === undefined && !name.endsWith("-journal"))) continue;
        // Created and removed again, or without content.
        if (node !== undefined && folder.names.get(name) !== node) continue;
        if (name.endsWith("-wal") && node instanceof File && node.size === 0) continue;
        found.push(`the name ${this.#shown(join(path, name))}`);
      }
    }
    for (const [name, node] of folder.names) {
      if (node instanceof Folder) found.push(...this.#risks(node, join(path, name)));
      else if (isIndex(name) || hasWal(folder, name)) continue;
      // What was in an empty WAL is in the database, which was synced before: see checkReset().
      else if (node.unsynced.length > 0 && !(name.endsWith("-wal") && node.size === 0)) {
        found.push(this.#shown(join(path, name)));
      }
    }
    return found;
  }

  #name(to: number, ...names: Naming["names"]): void {
    const folder = this.#find(dirname(names[0]![0]));
    if (!(folder instanceof Folder)) throw new Error(`there is no folder of ${names[0]![0]}`);
    folder.change(to, ...names.map(([path, node]) => [basename(path), node] as [string, Node]));
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#top;
    for (const name of this.#words(path)) {
      node = node instanceof Folder ? node.names.get(name) : undefined;
    }
    return node;
  }

  #words(path: string): string[] {
    return relative(this.root, path).split("/").filter(Boolean);
  }

  #isInside(path: string): boolean {
    return path === this.root || path.startsWith(`${this.root}/`);
  }

  #shown(path: string): string {
    return relative(this.root, path);
  }
}

/** Whether everything in a database is in its WAL as well. */
function hasWal(folder: Folder, name: string): boolean {
  const wal = folder.names.get(`${name}-wal`);
  return wal instanceof File && wal.size > 0;
}

function load(path: string): Folder {
  const folder = new Folder();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    const node = entry.isDirectory() ? load(inside) : new File(readFileSync(inside));
    folder.names.set(entry.name, node);
    folder.synced.set(entry.name, node);
  }
  return folder;
}

function leave(folder: Folder, path: string, luck: Luck): void {
  mkdirSync(path, { recursive: true });
  const names = new Map(folder.synced);
  for (const change of folder.unsynced) {
    if (luck.keepsName()) for (const [name, node] of change.names) set(names, name, node);
  }
  for (const [name, node] of names) {
    if (node instanceof Folder) leave(node, join(path, name), luck);
    else if (!isIndex(name)) writeFileSync(join(path, name), left(node, luck));
  }
}

/** The bytes of a file with some of those that were not synced. */
function left({ synced, unsynced }: File, luck: Luck): Buffer {
  const share = luck.share();
  const kept = unsynced.flatMap(inSectors).filter(() => luck.keepsSector(share));
  return written(synced, kept);
}

function inSectors(write: Write): Write[] {
  if (!("bytes" in write)) return [write];
  const { at, bytes, to } = write;
  const sectors: Write[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + SECTOR - ((at + start) % SECTOR));
    sectors.push({ to, at: at + start, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return sectors;
}

function written(content: Buffer, writes: readonly Write[]): Buffer {
  const endOf = (write: Write) => ("bytes" in write ? write.at + write.bytes.length : write.length);
  const space = Buffer.alloc(Math.max(content.length, ...writes.map(endOf)));
  content.copy(space);
  let size = content.length;
  for (const write of writes) {
    if ("bytes" in write) {
      write.bytes.copy(space, write.at);
      size = Math.max(size, endOf(write));
    } else {
      space.fill(0, write.length);
      size = write.length;
    }
  }
  return space.subarray(0, size);
}

function set(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node) names.set(name, node);
  else names.delete(name);
}

const lastNumber = (rest: string): number => Number(/(\d+)\s*$/.exec(rest)![1]);
