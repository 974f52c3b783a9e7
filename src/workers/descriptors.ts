/**
 * Stops accepting connections while file descriptors run short, and logs it. Without any descriptor left, the runtime
 * would try to accept the waiting connections again and again, at full CPU load. Requests on open connections are
 * served meanwhile; new connections wait in the queue of the system.
 */

import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Observe } from "../observe/events.ts";
import { descriptorLimit, openDescriptors } from "../observe/process-metrics.ts";

const CHECK_MS = 250;
/** Shares of the descriptors that are free after startup. What is left is for the stores. */
const PAUSE_AT = 0.9;
const RESUME_BELOW = 0.8;
const REPEAT_MS = 60_000;

/** Watches the descriptors of this process, which listens at this URL. Returns a function that ends it. */
export function watchDescriptors(url: string, observe: Observe): () => void {
  const port = Number(new URL(url).port || 80);
  const limit = descriptorLimit();
  if (limit === undefined) return () => {};
  /** By the first check, which has descriptors to look it up; not at startup, which that would delay. */
  let prepared: { listener: Listener | undefined; own: number } | undefined;
  let isPaused = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const check = () => {
    const open = openDescriptors() ?? limit;
    prepared ??= { listener: findListener(port), own: open };
    const { listener, own } = prepared;
    const share = (open - own) / (limit - own);
    if (isPaused ? share < RESUME_BELOW : share >= PAUSE_AT) {
      isPaused = !isPaused;
      if (isPaused) listener?.pause();
      else listener?.resume();
    }
    if (!isPaused || performance.now() - loggedAt < REPEAT_MS) return;
    loggedAt = performance.now();
    observe({ event: "descriptors-low", open, limit });
  };
  const timer = setInterval(check, CHECK_MS).unref();
  return () => clearInterval(timer);
}

interface Listener {
  pause(): void;
  resume(): void;
}

/**
 * The runtime cannot pause a listener, so this changes which events its epoll instance reports for the listening
 * socket. Everything is looked up in advance, because looking needs descriptors. Undefined where the system or the
 * runtime differs: then descriptors that run short are only logged.
 */
function findListener(port: number): Listener | undefined {
  try {
    const socket = socketsAt(port).find(({ isListening }) => isListening)?.descriptor;
    const watched = socket === undefined ? undefined : epollEntry(socket);
    if (watched === undefined) return undefined;
    const { epoll, events, data } = watched;
    // glibc has it under this name, and so has musl.
    const { epoll_ctl } = dlopen("libc.so.6", EPOLL_CTL).symbols;
    const change = (reported: number) =>
      epoll_ctl(epoll, EPOLL_CTL_MOD, socket!, ptr(epollEvent(reported, data)));
    return { pause: () => change(0), resume: () => change(events) };
  } catch {
    return undefined;
  }
}

const EPOLL_CTL = {
  epoll_ctl: { args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
} as const;
const EPOLL_CTL_MOD = 3;

/** The events to report for a descriptor, and the value that is passed with them. */
function epollEvent(events: number, data: bigint): Buffer {
  // The structure is packed on x86-64 only.
  const dataAt = process.arch === "x64" ? 4 : 8;
  const event = Buffer.alloc(dataAt + 8);
  event.writeUInt32LE(events);
  event.writeBigUInt64LE(data, dataAt);
  return event;
}

const LISTENING = "0A";

/** The sockets of this process at a port: the one that listens, and connections. */
export function socketsAt(port: number): { descriptor: number; isListening: boolean }[] {
  const states = new Map<string, string>();
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readFileSync(`/proc/self/net/${table}`, "utf8").split("\n")) {
      const [, local = "", , state = "", , , , , , inode] = line.trim().split(/\s+/);
      const isAtPort = Number.parseInt(local.split(":")[1] ?? "", 16) === port;
      if (isAtPort) states.set(`socket:[${inode}]`, state);
    }
  }
  return descriptors().flatMap(({ descriptor, target }) => {
    const state = states.get(target);
    return state === undefined ? [] : [{ descriptor, isListening: state === LISTENING }];
  });
}

/** How the runtime watches a socket, as the system reports it. */
function epollEntry(socket: number) {
  for (const { descriptor: epoll, target } of descriptors()) {
    if (target !== "anon_inode:[eventpoll]") continue;
    const entry = new RegExp(`^tfd: +${socket} events: +([0-9a-f]+) data: +([0-9a-f]+)`, "m").exec(
      readFileSync(`/proc/self/fdinfo/${epoll}`, "utf8"),
    );
    if (entry) {
      return { epoll, events: Number.parseInt(entry[1]!, 16), data: BigInt(`0x${entry[2]}`) };
    }
  }
  return undefined;
}

function descriptors(): { descriptor: number; target: string }[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return { descriptor: Number(name), target: readlinkSync(`/proc/self/fd/${name}`) };
    } catch {
      // The directory that was being read.
      return [];
    }
  });
}
