/** docs/monitoring.md and the dashboard have every metric and log event, and no other. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FEATURE_EVENTS } from "../../src/features/list.ts";
import type { Event, EventName } from "../../src/observe/events.ts";
import { EVENTS as CORE_EVENTS } from "../../src/observe/events.ts";
import { logTo } from "../../src/observe/log.ts";
import { parseShards } from "../../src/settings/shard-locations.ts";
import { blocks, codes, page as pageAt, table as rowsOf } from "../docs/markdown.ts";
import { type Monitored, makeTraffic, startMonitored } from "../support/monitored.ts";
import { ROOT, runProgram } from "../support/process.ts";
import type { Scrape, ScrapedFamily } from "../support/scrape.ts";
import { until } from "../support/state.ts";
import { aFolder } from "../support/world.ts";

const EVENTS = { ...CORE_EVENTS, ...FEATURE_EVENTS };
const DOCS = join(import.meta.dir, "../../docs");
const PAGE = join(DOCS, "monitoring.md");
const page = pageAt("docs/monitoring.md");
const dashboard = JSON.parse(readFileSync(join(DOCS, "grafana/matchbook.json"), "utf8"));

const VERIFIED = "matchbook_shard_verified_timestamp_seconds";
const DAMAGED = "matchbook_damaged_records_total";

let monitored: Monitored;
let scrape: Scrape;

beforeAll(async () => {
  // Matches in memory would be served although they are damaged.
  const settings = { shards: withReplica(), "cache-mib": 0 };
  monitored = await startMonitored(settings, { firstMs: 0, pauseMs: 20 });
  await makeTraffic(monitored);
  scrape = await until("the shard is verified", async () => {
    const { read } = await monitored.scrape();
    return read.get(VERIFIED)!.samples.some(({ value }) => value > 0) ? read : undefined;
  });
  monitored.damage("na");
  expect(await monitored.ask("/shards/na/matches/match-a", { as: "hobbyist" })).toBe(503);
  // A damaged shard may be unavailable by now, without other values.
  const { read } = await monitored.scrape();
  scrape = new Map(scrape).set(DAMAGED, read.get(DAMAGED)!);
});
afterAll(() => monitored.stop());

/** Adds an unavailable shard with every option a shard can have, next to the shard with the records. */
function withReplica() {
  const far = "postgres://matchbook@127.0.0.1:1/matchbook";
  const parsed = parseShards({ na: {}, far: { url: far, replicas: [far] } });
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed.value;
}

const table = (head: string) => rowsOf(page, head);

/** The labels of a family except those of every histogram. */
const labelsOf = ({ samples }: ScrapedFamily) => {
  const names = samples.flatMap(({ labels }) => Object.keys(labels));
  return [...new Set(names)].filter((name) => name !== "le").sort();
};

const isOurs = (name: string) => name.startsWith("matchbook_");

type MetricRow = readonly [name: string, type: string, labels: string[], help: string];

function writeMetrics(rows: readonly MetricRow[]): void {
  const start = page.indexOf("\n| Metric |") + 1;
  const end = page.indexOf("\n\n", start);
  const lines = rows.map(([name, type, labels, help]) => {
    const shown = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`${name}\` | ${type} |${shown && ` ${shown}`} | ${help} |`;
  });
  const heads = page.slice(start, end).split("\n").slice(0, 2);
  writeFileSync(PAGE, page.slice(0, start) + [...heads, ...lines].join("\n") + page.slice(end));
}

describe("the tables of metrics", () => {
  test("have the names, types, labels and meanings of a busy server (UPDATE_DOCS=1 writes them)", () => {
    const real = [...scrape]
      .filter(([name]) => isOurs(name))
      .map(([name, { type, help }]) => [name, type, labelsOf(scrape.get(name)!), help] as const);
    if (process.env.UPDATE_DOCS) writeMetrics(real);
    const written = table("Metric").map(([name, type, labels, meaning]) => [
      codes(name!)[0],
      type,
      codes(labels!),
      meaning,
    ]);
    // Also of a run that writes them: one that has changed the page has not passed.
    expect(written).toEqual(real.map((row) => [...row]));
  });

  test("list the process metrics, and nothing else", () => {
    const listed = [...scrape].filter(([name]) => !isOurs(name));
    const written = table("Metric of the process").flatMap(([names, type]) =>
      codes(names!).map((name) => [name, type]),
    );
    expect(written.toSorted()).toEqual(listed.map(([name, { type }]) => [name, type]).toSorted());
  });

  test("explain every label, and the values that can be listed", () => {
    const rows = new Map(table("Label").map(([label, values]) => [codes(label!)[0], values!]));
    const labels = new Set([...scrape.values()].flatMap(labelsOf));
    labels.delete("version");
    expect([...rows.keys()].sort()).toEqual([...labels].sort());
    const outcomes = scrape.get("matchbook_uploaded_records_total")!.samples;
    expect(codes(rows.get("outcome")!)).toEqual(
      outcomes.map(({ labels: values }) => values.outcome!),
    );
    const results = [...scrape.values()].flatMap(({ samples }) =>
      samples.flatMap(({ labels: values }) => values.result ?? []),
    );
    expect(new Set(codes(rows.get("result")!))).toEqual(new Set(results));
  });
});

/** The names of all series in a query. */
const namesIn = (query: string) =>
  [...query.matchAll(/\b(?:matchbook|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);

/** Names with at least one value: a dashboard of names alone would stay empty. */
const isServed = (name: string) =>
  [...scrape.values()].some(({ samples }) => samples.some((sample) => sample.name === name));

interface Panel {
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

describe("the dashboard", () => {
  const panels: Panel[] = dashboard.panels;
  const shown = panels.filter(({ type }) => type !== "row");
  const queries = shown.flatMap(({ targets }) => targets!.map(({ expr }) => expr));

  test("queries only metrics that exist", () => {
    const names = queries.flatMap(namesIn);
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !isServed(name))).toEqual([]);
    expect(queries.filter((query) => namesIn(query).length === 0)).toEqual([]);
  });

  test("shows every metric", () => {
    const asked = new Set(
      queries.flatMap(namesIn).map((name) => name.replace(/_(bucket|sum|count)$/, "")),
    );
    expect([...scrape.keys()].filter((name) => isOurs(name) && !asked.has(name))).toEqual([]);
  });

  test("groups by and labels with labels that the metrics have", () => {
    for (const { targets } of shown) {
      for (const { expr, legendFormat } of targets!) {
        const [name] = namesIn(expr);
        const family = scrape.get(name!) ?? scrape.get(name!.replace(/_(bucket|sum|count)$/, ""));
        const known = [...labelsOf(family!), "le", "instance"];
        const grouped = [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap((by) => by[1]!.split(", "));
        const legends = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map((legend) => legend[1]!);
        const unknown = [...grouped, ...legends].filter((label) => !known.includes(label));
        expect([expr, unknown]).toEqual([expr, []]);
      }
    }
  });

  test("lets the user choose its data source, and uses no other", () => {
    const [source] = dashboard.templating.list;
    expect(source).toMatchObject({ name: "datasource", type: "datasource", query: "prometheus" });
    const uids = JSON.stringify(dashboard.panels).match(/"uid":"[^"]*"/g)!;
    expect(new Set(uids)).toEqual(new Set([`"uid":"$\{${source.name}}"`]));
  });

  test("has panels with distinct ids and positions", () => {
    const ids = dashboard.panels.map(({ id }: { id: number }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos }) => gridPos.x + gridPos.w <= 24)).toBe(true);
  });
});

test("the scrape configuration on the page is valid YAML, with the token in a file", () => {
  const [config] = blocks(page, "yaml").map((text) => Bun.YAML.parse(text));
  expect(config).toMatchObject({
    scrape_configs: [
      { job_name: "matchbook", authorization: { credentials_file: expect.any(String) } },
    ],
  });
});

describe("the alerts", () => {
  interface Rule {
    alert: string;
    expr: string;
    labels: { severity: string };
    annotations: { summary: string };
  }
  const file = readFileSync(join(DOCS, "prometheus/matchbook-alerts.yaml"), "utf8");
  const { groups } = Bun.YAML.parse(file) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  test("watch metrics that exist", () => {
    const names = rules.flatMap(({ expr }) => namesIn(expr));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !isServed(name))).toEqual([]);
  });

  test("each have a severity and a summary", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(`${alert} ${labels.severity}`).toMatch(/ (page|ticket)$/);
      expect(annotations.summary.length).toBeGreaterThan(10);
    }
  });
});

describe("the log events", () => {
  const events = table("Event").flatMap(([names, level, members]) =>
    codes(names!).map((event) => ({ event, level, members: codes(members!) })),
  );

  test("are one per event", () => {
    expect(events.map(({ event }) => event).sort()).toEqual(Object.keys(EVENTS).sort());
  });

  test("look on a terminal as the page shows", () => {
    const request = JSON.parse(blocks(page, "ndjson")[0]!);
    let written = "";
    const stream = { isTTY: true, write: (text: string) => (written += text) };
    logTo({ level: "info", stream })({ query: "", route: "/", ...request } as Event);
    const withoutTime = (line: string) =>
      Bun.stripANSI(line)
        .trim()
        .replace(/^\d\d:\d\d:\d\d /, "");
    expect(withoutTime(written)).toBe(withoutTime(blocks(page, "").at(-1)!));
  });

  test.each(events)("have the level of $event", ({ event, level }) => {
    expect(level).toBe(EVENTS[event as EventName]!.level);
  });

  test("have the members of their types", async () => {
    using folder = aFolder();
    const features = [...new Bun.Glob("src/features/*/events.ts").scanSync(ROOT)];
    const rows = events.map(({ event, members }) => {
      const names = members.map((name) => JSON.stringify(name)).join(" | ");
      return `${JSON.stringify(event)}: ${names || "never"};`;
    });
    const program = join(folder.path, "program.ts");
    writeFileSync(
      program,
      `import type { EventName, ShownEvent } from "${ROOT}/src/observe/events.ts";
      ${features.map((file) => `import "${ROOT}/${file}";`).join("\n")}
      interface Page { ${rows.join("\n")} }
      type Members<N> = Exclude<keyof Extract<ShownEvent, { event: N }>, "event">;
      type Same<A, B> = [A, B] extends [B, A] ? true : false;
      type Wrong = { [N in EventName]: Same<Members<N>, Page[N]> extends true ? never : N }[EventName];
      export const wrong: never = undefined as unknown as Wrong;`,
    );
    const flags = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"];
    const options = [...flags, "--module", "preserve", "--target", "esnext", "--types", ""];
    const tsc = [join(ROOT, "node_modules/.bin/tsc"), ...options, program];
    const { stdout } = await runProgram(tsc, { cwd: folder.path });
    expect(stdout).toBe("");
  });
});
