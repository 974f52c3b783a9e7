/** Reads the documentation for tests: pages, code blocks, tables, and console sessions. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/process.ts";

const folders = [".", "docs", "client", "bench", "bench/conventional"];

/** All pages, by path. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => join(folder, name))
      .map((path) => [path, readFileSync(join(ROOT, path), "utf8")] as const),
  ),
);

export function page(path: string): string {
  const text = PAGES.get(path);
  if (text === undefined) throw new Error(`there is no page ${path}`);
  return text;
}

export interface Fence {
  language: string;
  text: string;
  /** Whether nothing but blank lines separates it from the fence before. */
  followsFence: boolean;
}

export function fences(text: string): Fence[] {
  let end = 0;
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((fence) => {
    const followsFence = text.slice(end, fence.index).trim() === "";
    end = fence.index + fence[0].length;
    return { language: fence[1]!, text: fence[2]!, followsFence };
  });
}

export const blocks = (text: string, language: string): string[] =>
  fences(text)
    .filter((fence) => fence.language === language)
    .map((fence) => fence.text);

/** The text without code blocks. */
export const prose = (text: string): string => text.replaceAll(/^```.*?^```$/gms, "");

const cells = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The rows of each table whose header begins with these cells. */
export function tables(text: string, ...head: string[]): string[][][] {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, at) =>
    head.every((cell, column) => cells(line)[column] === cell) ? [at + 2] : [],
  );
  return starts.map((start) => {
    const rest = lines.slice(start);
    const end = rest.findIndex((line) => !line.startsWith("|"));
    return rest.slice(0, end < 0 ? undefined : end).map(cells);
  });
}

/** The rows of the one table whose header begins with these cells. */
export function table(text: string, ...head: string[]): string[][] {
  const [rows, ...others] = tables(text, ...head);
  if (!rows || others.length > 0) throw new Error(`there is not one table headed ${head}`);
  return rows;
}

/** The texts between backticks. */
export const codes = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map((one) => one[1]!);
export const code = (text: string): string => codes(text)[0] ?? "";

/** A command of a page and the output shown below it. */
export interface Exchange {
  command: string;
  shown: string[];
}

/** The commands after `$ ` in blocks of these languages. */
export const exchanges = (text: string, ...languages: string[]): Exchange[] =>
  fences(text)
    .filter((fence) => languages.includes(fence.language))
    .flatMap((fence) => (fence.text.startsWith("$ ") ? fence.text.split(/^\$ /m).slice(1) : []))
    .map((one) => {
      const [command, ...shown] = one.trimEnd().split("\n");
      return { command: command!, shown };
    });

/** The arguments after the program, up to a pipe, without quotes. */
export const wordsOf = (command: string): string[] =>
  [...command.split(" | ")[0]!.matchAll(/"([^"]*)"|(\S+)/g)]
    .map((one) => one[1] ?? one[2]!)
    .slice(1);

/** Masks what differs between runs: ids, secrets, times, and the widths of columns that depend on them. */
export const plain = (text: string): string =>
  text
    .replaceAll(/\bk_\w{10}/g, "ID")
    .replaceAll(/\bmb_\w+…?/g, "SECRET")
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, "MOMENT")
    .replaceAll(/ +/g, " ")
    .trimEnd();

/** What an output must look like: `…` stands for anything, also for lines. */
export const patternOf = (shown: string): RegExp =>
  new RegExp(`^${shown.split("…").map(RegExp.escape).join("[^]*")}$`);
