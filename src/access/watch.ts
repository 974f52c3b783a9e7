/** In charge of the live keys a server holds in memory, and of noticing when they change. */

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import type { Observe } from "../observe/events.ts";
import { keyInHeader } from "./bearer.ts";
import { accessFile, openAccessFile } from "./file.ts";
import { hashKey } from "./key.ts";
import { type LiveKey, readLiveKeys } from "./keyring.ts";

const CHECK_EVERY_MS = 1000;
const MOST_RECENT = 10_000;

/** The file as it was read: which file it is and at which of its versions. */
interface Opened {
  inode: bigint;
  database: Database;
  version: number;
}

export class KeyWatch {
  readonly #dataDir: string;
  readonly #observe: Observe;
  #opened: Opened | undefined;
  #live = new Map<string, LiveKey>();
  /** Headers that held a live key a moment ago, so that they need not be hashed for every request. */
  readonly #recent = new Map<string, LiveKey>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(dataDir: string, observe: Observe) {
    this.#dataDir = dataDir;
    this.#observe = observe;
  }

  /** Reads the keys and goes on noticing changes. Throws what makes the first reading fail. */
  start(): void {
    this.refresh();
    this.#timer = setInterval(() => {
      try {
        this.refresh();
      } catch (error) {
        // The keys read last go on counting: a disk's hiccup must not lock every caller out.
        this.#observe({ event: "keys-unreadable", error });
      }
    }, CHECK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#close();
  }

  /** The live key of a request's Authorization header. Every kind of wrong header looks the same. */
  find(authorization: string | null): LiveKey | undefined {
    if (authorization === null) return undefined;
    const known = this.#recent.get(authorization);
    if (known) return known;
    const key = keyInHeader(authorization);
    const live = key === undefined ? undefined : this.#live.get(hashKey(key));
    if (live) this.#remember(authorization, live);
    return live;
  }

  /** Reads the keys again if they changed since; says whether they did. */
  refresh(): boolean {
    const inode = inodeOf(accessFile(this.#dataDir));
    if (inode !== this.#opened?.inode) this.#close();
    if (inode === undefined) return this.#replace(new Map());
    this.#opened ??= { inode, database: openAccessFile(this.#dataDir), version: -1 };

    // The version comes first: a change between the two readings is then read once more, not missed.
    const version = dataVersion(this.#opened.database);
    if (version === this.#opened.version) return false;
    const live = readLiveKeys(this.#opened.database);
    this.#opened.version = version;
    return this.#replace(live);
  }

  #replace(live: Map<string, LiveKey>): boolean {
    if (live.size === 0 && this.#live.size === 0) return false;
    this.#live = live;
    this.#recent.clear();
    this.#observe({ event: "keys-reloaded", live: live.size });
    return true;
  }

  #remember(authorization: string, key: LiveKey): void {
    if (this.#recent.size >= MOST_RECENT) this.#recent.clear();
    this.#recent.set(authorization, key);
  }

  #close(): void {
    this.#opened?.database.close();
    this.#opened = undefined;
  }
}

/** Tells a file from another that took its place, as after a restore from a backup. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Changes whenever another connection commits to the file. */
function dataVersion(database: Database): number {
  return database.query<{ data_version: number }, []>("PRAGMA data_version").get()!.data_version;
}
