/** Parses metrics as Prometheus does and rejects what it would reject. */

export interface ScrapedSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface ScrapedFamily {
  help: string;
  type: string;
  samples: ScrapedSample[];
}

export type Scrape = ReadonlyMap<string, ScrapedFamily>;

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|[+-]Inf|[-+0-9.e]+)$`);
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Throws when the text is not in the Prometheus exposition format. */
export function readScrape(text: string): Scrape {
  if (!text.endsWith("\n")) throw new Error("the text does not end with a line feed");
  const families = new Map<string, ScrapedFamily>();
  const seen = new Set<string>();
  let current: [name: string, family: ScrapedFamily] | undefined;
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const help = HELP.exec(line);
    const type = TYPE.exec(line);
    if (help) {
      if (families.has(help[1]!)) throw new Error(`two families are called ${help[1]}`);
      current = [help[1]!, { help: help[2]!, type: "", samples: [] }];
      families.set(...current);
    } else if (type) {
      if (current?.[0] !== type[1]) throw new Error(`a type without its help: ${line}`);
      current![1].type = type[2]!;
    } else {
      const sample = readSample(line);
      const series = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (seen.has(series)) throw new Error(`a series comes twice: ${line}`);
      seen.add(series);
      if (!current || !belongs(sample.name, ...current)) throw new Error(`a stray line: ${line}`);
      current[1].samples.push(sample);
    }
  }
  return families;
}

function readSample(line: string): ScrapedSample {
  const parts = SAMPLE.exec(line);
  if (!parts) throw new Error(`not a sample: ${line}`);
  const [, name, inner = "", value] = parts;
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const label = LABEL.exec(inner);
    if (!label) throw new Error(`not a label: ${line}`);
    labels[label[1]!] = label[2]!;
  }
  return { name: name!, labels, value: Number(value!.replace("Inf", "Infinity")) };
}

function belongs(sample: string, name: string, { type }: ScrapedFamily): boolean {
  if (type !== "histogram") return sample === name;
  return ["_bucket", "_sum", "_count"].some((part) => sample === name + part);
}

/** The value of the one series with this name and these labels; undefined when there is none. */
export function seriesValue(
  scrape: Scrape,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const samples = [...scrape.values()].flatMap((family) => family.samples);
  return samples.find((one) => one.name === name && Bun.deepEquals(one.labels, labels))?.value;
}
