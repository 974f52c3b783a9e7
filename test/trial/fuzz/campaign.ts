/**
 * Runs one kind of fuzzing: first the corpus, then generated cases. What fails is minimised and reported as a file for the
 * corpus.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Choices, minimised } from "./choices.ts";

export const KINDS = ["requests", "records"] as const;
export type Kind = (typeof KINDS)[number];

/** What is wrong. Its first line says what kind of failure it is. */
export class Complaint extends Error {}

/** What is fuzzed: a grammar, an oracle, and a text form of cases. */
export interface Target<Case> {
  kind: Kind;
  generate(choices: Choices): Case;
  /** Returns what the case made the server do, e.g. a route with a status and an error code. Throws complaints. */
  check(one: Case): Promise<readonly string[]>;
  write(one: Case): string;
  read(text: string): Case;
}

export interface Finding {
  /** The corpus file or the number of the generated case. */
  from: string;
  complaint: string;
  /** The content of a corpus file. */
  text: string;
}

export interface CampaignOptions {
  seed: number;
  /** Whether to generate another case after this many. */
  goesOn(generated: number): boolean;
  /** Whether the corpus comes first. */
  hasCorpus?: boolean;
  /** Whether findings are minimised, which takes a while. */
  isMinimised?: boolean;
  /** Before it is minimised. */
  onComplaint?(from: string, complaint: string): void;
}

/** More of them are usually the same. */
const ENOUGH_FINDINGS = 5;

export async function fuzz<Case>(target: Target<Case>, options: CampaignOptions) {
  const { seed, goesOn, hasCorpus = true, isMinimised = true, onComplaint = () => {} } = options;
  /** How often each thing was seen. */
  const seen = new Map<string, number>();
  const findings: Finding[] = [];
  const run = async (one: Case): Promise<string | undefined> => {
    const { complaint, things } = await outcomeOf(target, one);
    for (const thing of things) seen.set(thing, (seen.get(thing) ?? 0) + 1);
    return complaint;
  };

  const corpus = hasCorpus ? corpusOf(target.kind) : [];
  for (const { name, text } of corpus) {
    const complaint = await run(target.read(text));
    if (complaint !== undefined) findings.push({ from: name, complaint, text });
  }

  let generated = 0;
  for (; goesOn(generated) && findings.length < ENOUGH_FINDINGS; generated++) {
    const choices = new Choices(seed, generated);
    const complaint = await run(target.generate(choices));
    if (complaint !== undefined) {
      onComplaint(`case ${generated}`, complaint);
      const report = isMinimised ? reported : asFound;
      findings.push(await report(target, `case ${generated}`, choices.made, complaint));
    }
  }
  return { corpus: corpus.length, generated, seen, findings };
}

async function outcomeOf<Case>(
  target: Target<Case>,
  one: Case,
): Promise<{ complaint: string | undefined; things: readonly string[] }> {
  try {
    return { complaint: undefined, things: await target.check(one) };
  } catch (error) {
    if (error instanceof Complaint) return { complaint: error.message, things: [] };
    return { complaint: `the check failed: ${Bun.inspect(error)}`, things: [] };
  }
}

const caseOf = <Case>(target: Target<Case>, choices: readonly number[]): Case =>
  target.generate(new Choices(0, 0, choices, true));

const asFound = <Case>(
  target: Target<Case>,
  from: string,
  made: readonly number[],
  complaint: string,
): Finding => ({ from, complaint, text: target.write(caseOf(target, made)) });

async function reported<Case>(
  target: Target<Case>,
  from: string,
  made: readonly number[],
  complaint: string,
): Promise<Finding> {
  let last = complaint;
  const smallest = await minimised(made, async (choices) => {
    const again = (await outcomeOf(target, caseOf(target, choices))).complaint;
    if (again === undefined || kindOf(again) !== kindOf(complaint)) return false;
    last = again;
    return true;
  });
  return { from, complaint: last, text: target.write(caseOf(target, smallest)) };
}

/** Two complaints are about the same failure if they begin alike. */
const kindOf = (complaint: string) =>
  complaint.split("\n")[0]!.replaceAll(/\d+/g, "0").slice(0, 40);

const CORPUS = join(import.meta.dir, "corpus");

export const corpusFolder = (kind: Kind): string => join(CORPUS, kind);

export function corpusOf(kind: Kind): { name: string; text: string }[] {
  const folder = corpusFolder(kind);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), "latin1") }));
}
