/** Writes metrics in the text format of Prometheus, and adds up those of several processes. */

import type { Family, Sample } from "./metric.ts";

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export function exposition(families: readonly Family[]): string {
  return families
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`,
      ...samples.map((sample) => `${name}${series(sample)} ${sample.value}\n`),
    ])
    .join("");
}

function series({ suffix = "", labels = {} }: Sample): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? suffix : `${suffix}{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/**
 * Families of the same name as one. Counters and histograms are added up. Of gauges the highest counts,
 * unless they say otherwise: all processes report the same thing, and one that has just started may not
 * know it yet.
 */
export function merged(families: readonly Family[]): Family[] {
  const byName = new Map<string, { family: Family; samples: Map<string, Sample> }>();
  for (const family of families) {
    const entry = byName.get(family.name) ?? { family, samples: new Map<string, Sample>() };
    byName.set(family.name, entry);
    for (const sample of family.samples) {
      const key = series(sample);
      const known = entry.samples.get(key);
      const value = known ? joined(family, known.value, sample.value) : sample.value;
      entry.samples.set(key, { ...sample, value });
    }
  }
  return [...byName.values()].map(({ family, samples }) => ({
    ...family,
    samples: [...samples.values()],
  }));
}

function joined({ type, isLowest }: Family, one: number, other: number): number {
  if (type !== "gauge") return one + other;
  return isLowest ? Math.min(one, other) : Math.max(one, other);
}

/** The same metrics with one more label. */
export const labelled = (families: readonly Family[], label: Record<string, string>): Family[] =>
  families.map((family) => ({
    ...family,
    samples: family.samples.map((sample) => ({
      ...sample,
      labels: { ...sample.labels, ...label },
    })),
  }));
