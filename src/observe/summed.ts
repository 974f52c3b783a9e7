/** In charge of the metrics of several processes as one: how each value of theirs becomes one. */

import type { Family, Sample } from "./family.ts";

/** A metric with the values that it had at a moment, fit to be sent to another process. */
export interface Snapshot extends Omit<Family, "samples"> {
  samples: Sample[];
}

export const snapshotsOf = (families: readonly Family[]): Snapshot[] =>
  families.map((family) => {
    const { name, help, type, isLowest = false } = family;
    return { name, help, type, isLowest, samples: family.samples() };
  });

export const asFamilies = (snapshots: readonly Snapshot[]): Family[] =>
  snapshots.map((snapshot) => ({ ...snapshot, samples: () => snapshot.samples }));

/**
 * What was counted is added up. Of gauges the highest counts, unless they say otherwise: all processes
 * tell of the same thing, and one that has just begun may not know it yet.
 */
export function summed(processes: readonly (readonly Snapshot[])[]): Snapshot[] {
  const families = new Map<string, { family: Snapshot; samples: Map<string, Sample> }>();
  for (const snapshot of processes.flat()) {
    const known = families.get(snapshot.name);
    const entry = known ?? { family: snapshot, samples: new Map<string, Sample>() };
    families.set(snapshot.name, entry);
    for (const sample of snapshot.samples) {
      const series = JSON.stringify([sample.metricName, sample.labels]);
      const before = entry.samples.get(series);
      const value = before ? joined(snapshot, before.value, sample.value) : sample.value;
      entry.samples.set(series, { ...sample, value });
    }
  }
  return [...families.values()].map(({ family, samples }) => ({
    ...family,
    samples: [...samples.values()],
  }));
}

function joined({ type, isLowest }: Snapshot, one: number, other: number): number {
  if (type !== "gauge") return one + other;
  return isLowest ? Math.min(one, other) : Math.max(one, other);
}

/** The same metrics with one more label. */
export const labelled = (
  snapshots: readonly Snapshot[],
  label: Record<string, string>,
): Snapshot[] =>
  snapshots.map((snapshot) => ({
    ...snapshot,
    samples: snapshot.samples.map((sample) => ({
      ...sample,
      labels: { ...sample.labels, ...label },
    })),
  }));

/** Several snapshots of metrics of the same names, one after another under each name. */
export function together(processes: readonly (readonly Snapshot[])[]): Snapshot[] {
  const families = new Map<string, Snapshot>();
  for (const snapshot of processes.flat()) {
    const samples = [...(families.get(snapshot.name)?.samples ?? []), ...snapshot.samples];
    families.set(snapshot.name, { ...snapshot, samples });
  }
  return [...families.values()];
}
