/**
 * In charge of what a document grows to. Every record keeps its own copy of what it includes, and
 * every player and team a copy of what hangs on it; a small document that shares a lot could
 * otherwise become a large one many times over.
 */

import type { Resource } from "../domain/json.ts";
import { Excess } from "./reasons.ts";

/** What is nested deeper is rejected elsewhere, and need not be measured. */
const DEEPEST_MEASURED = 100;

export class Unfolding {
  readonly #kept = new Set<Resource>();
  readonly #sizes = new Map<Resource, number>();
  #left: number;

  constructor(private readonly most: number) {
    this.#left = most;
  }

  /** Counts resources that are to be kept. The first copy of each is free. Throws Excess. */
  keep(resources: readonly Resource[]): void {
    for (const resource of resources) {
      if (!this.#kept.has(resource)) this.#kept.add(resource);
      else this.#left -= this.#sizeOf(resource);
    }
    if (this.#left >= 0) return;
    throw new Excess(
      `the matches and players of this document share so much that copies of it for each would take more than ${this.most} bytes: send fewer of them in one document`,
    );
  }

  #sizeOf(resource: Resource): number {
    const known = this.#sizes.get(resource) ?? sizeOf(resource, 0);
    this.#sizes.set(resource, known);
    return known;
  }
}

/** About as many bytes as the value takes as JSON. */
function sizeOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null || depth === DEEPEST_MEASURED) return 8;
  let size = 2;
  for (const name in value) {
    size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name], depth + 1);
  }
  return size;
}
