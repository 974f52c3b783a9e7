/** In charge of the live keys a server holds in memory, and of noticing when they change. */

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import {
  type AccessPlan,
  type Allowance,
  allowanceOf,
  mayRead,
  tierNamed,
} from "../domain/allowance.ts";
import type { Observe } from "../observe/events.ts";
import { keyInHeader } from "./bearer.ts";
import { openFile, pathOf } from "./file.ts";
import { hashKey } from "./key.ts";
import { type LiveSecret, readLiveSecrets } from "./keyring.ts";
import { KEYS_FILE } from "./keys-file.ts";

/** A key that may be used now, and what it may do. */
export interface LiveKey {
  id: string;
  name: string;
  allowance: Allowance;
}

interface Live extends LiveKey {
  until: number;
}

/** A header that held a live key a moment ago. */
interface Recent {
  hash: string;
  live: Live;
}

/** Milliseconds between two looks at the file: half of what operators are promised, and less. */
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
  readonly #plan: AccessPlan;
  readonly #observe: Observe;
  #opened: Opened | undefined;
  #live = new Map<string, Live>();
  /** By header, so that it need not be hashed for every request. */
  #recent = new Map<string, Recent>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(dataDir: string, plan: AccessPlan, observe: Observe) {
    this.#dataDir = dataDir;
    this.#plan = plan;
    this.#observe = observe;
  }

  /** Reads the keys and goes on noticing changes. Throws what makes the first reading fail. */
  start(): void {
    this.refresh();
    this.#timer = setInterval(() => this.lookAgain(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** Notices changes at once, rather than with the next look. */
  lookAgain(): void {
    try {
      this.refresh();
    } catch (error) {
      // The keys read last go on counting: a disk's hiccup must not lock every caller out.
      this.#observe({ event: "keys-unreadable", error });
    }
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#close();
  }

  /** The live key of a header that was found good a moment ago; others have to be looked at. */
  recent(authorization: string | null, now: number): LiveKey | undefined {
    if (authorization === null) return undefined;
    const live = this.#recent.get(authorization)?.live;
    return live !== undefined && now < live.until ? live : undefined;
  }

  /** The live key of a request's Authorization header. Every kind of wrong header looks the same. */
  find(authorization: string | null, now: number): LiveKey | undefined {
    if (authorization === null) return undefined;
    const key = keyInHeader(authorization);
    if (key === undefined) return undefined;
    const hash = hashKey(key);
    const live = this.#live.get(hash);
    if (live === undefined || now >= live.until) return undefined;
    if (this.#recent.size >= MOST_RECENT) this.#recent.clear();
    this.#recent.set(authorization, { hash, live });
    return live;
  }

  mayRead({ allowance }: LiveKey, shard: string): boolean {
    return mayRead(this.#plan, allowance, shard);
  }

  /** Reads the keys again if they changed since; says whether they did. */
  refresh(): boolean {
    const inode = inodeOf(pathOf(KEYS_FILE, this.#dataDir));
    if (inode !== this.#opened?.inode) this.#close();
    if (inode === undefined) return this.#replace([]);
    this.#opened ??= { inode, database: openFile(KEYS_FILE, this.#dataDir), version: -1 };

    // The version comes first: a change between the two readings is then read once more, not missed.
    const version = dataVersion(this.#opened.database);
    if (version === this.#opened.version) return false;
    const secrets = readLiveSecrets(this.#opened.database);
    this.#opened.version = version;
    return this.#replace(secrets);
  }

  #replace(secrets: readonly LiveSecret[]): boolean {
    if (secrets.length === 0 && this.#live.size === 0) return false;
    const unknownTiers = new Set<string>();
    this.#live = new Map(
      secrets.map(({ hash, id, name, tier, own, until }) => {
        if (tier !== null && !tierNamed(this.#plan, tier)) unknownTiers.add(tier);
        return [hash, { id, name, allowance: allowanceOf(this.#plan, tier, own), until }];
      }),
    );
    for (const [header, recent] of this.#recent) {
      const live = this.#live.get(recent.hash);
      if (live) recent.live = live;
      else this.#recent.delete(header);
    }
    for (const tier of unknownTiers) {
      this.#observe({ event: "tier-unknown", tier, taken: this.#plan.tiers[0]!.name });
    }
    const keys = new Set(secrets.map(({ id }) => id));
    this.#observe({ event: "keys-reloaded", live: keys.size });
    return true;
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
