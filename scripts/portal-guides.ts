/**
 * Renders Markdown files for the portal while it is built: each becomes a module with a `Guide`, which is loaded when
 * the page is opened. It knows the Markdown that the docs use, and fails on what it does not know.
 */

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  GUIDES,
  type Guide,
  type GuideBlock,
  type GuideHeading,
} from "../src/portal/views/developers/guide.ts";

/** Lets the bundler import Markdown files. */
export const guides: Bun.BunPlugin = {
  name: "guides",
  setup(build) {
    build.onLoad({ filter: /\.md$/ }, ({ path }) => {
      const guide = JSON.stringify(renderGuide(readFileSync(path, "utf8"), basename(path)));
      return { contents: `export default ${guide};`, loader: "js" };
    });
  },
};

export function renderGuide(markdown: string, file: string): Guide {
  const lines = markdown.split("\n");
  const references = referencesIn(lines);
  const write = new Writer((href) => rewritten(references.get(href) ?? href));
  const headings: GuideHeading[] = [];
  let title: string | undefined;
  const blocks: GuideBlock[] = [];
  const labels = new Map<string, number>();
  /** A name for screen readers that no other part of the guide has. */
  const labelled = (kind: string): string => {
    const label = `${kind}: ${headings.at(-1)?.text ?? title ?? file}`;
    const count = (labels.get(label) ?? 0) + 1;
    labels.set(label, count);
    return count === 1 ? label : `${label} (${count})`;
  };
  const addHtml = (html: string) => {
    const last = blocks.at(-1);
    if (last?.kind === "html") last.html += html;
    else blocks.push({ kind: "html", html });
  };
  for (const block of blocksOf(lines)) {
    switch (block.kind) {
      case "heading": {
        // A version in the changelog is a link to its changes.
        const heading = block.text.replace(/^\[([^\]]+)\]/, "$1");
        const text = plainText(heading);
        if (block.level === 1) {
          title = text;
          break;
        }
        const id = anchorOf(text);
        headings.push({ id, text, level: block.level });
        const link = `<a class="guide-anchor" href="#${id}" aria-label="Link to ${escaped(text)}">#</a>`;
        addHtml(`<h${block.level} id="${id}">${write.inline(heading)}${link}</h${block.level}>`);
        break;
      }
      case "code":
        blocks.push({
          kind: "code",
          label: labelled("Code"),
          language: block.language,
          text: block.text,
        });
        break;
      case "table":
        blocks.push({
          kind: "table",
          label: labelled("Table"),
          html: write.table(block.rows),
        });
        break;
      case "list":
        addHtml(write.list(block));
        break;
      case "paragraph":
        if (!isContents(block.text)) addHtml(`<p>${write.inline(block.text)}</p>`);
        break;
    }
  }
  if (title === undefined) throw new Error(`${file} has no title: start it with "# Title"`);
  return { title, headings, blocks };
}

type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "table"; rows: string[][] }
  | List
  | { kind: "paragraph"; text: string };

interface List {
  kind: "list";
  isOrdered: boolean;
  items: string[];
}

const HEADING = /^(#{1,4}) (.+)$/;
const FENCE = /^```(\w*)$/;
const ITEM = /^(-|\d+\.) +(.*)$/;
const REFERENCE = /^\[([^\]]+)\]: (\S+)$/;

function* blocksOf(lines: readonly string[]): Generator<Block> {
  let at = 0;
  /** The lines from here that satisfy `isPart`. */
  const take = (isPart: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && isPart(lines[at]!)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = HEADING.exec(line);
    const fence = FENCE.exec(line);
    if (line.trim() === "" || REFERENCE.test(line)) at++;
    else if (heading) {
      at++;
      yield { kind: "heading", level: heading[1]!.length, text: heading[2]! };
    } else if (fence) {
      at++;
      const code = take((one) => one !== "```");
      at++;
      yield { kind: "code", language: fence[1]!, text: code.join("\n") };
    } else if (line.startsWith("|")) {
      yield { kind: "table", rows: take((one) => one.startsWith("|")).map(cellsOf) };
    } else if (ITEM.test(line)) {
      yield listOf(take((one) => ITEM.test(one) || /^ +\S/.test(one)));
    } else if (/^(\s|>|<|!\[|---)/.test(line)) {
      throw new Error(`the portal's Markdown renderer does not know "${line}": extend it`);
    } else {
      const isText = (one: string) =>
        one.trim() !== "" && !HEADING.test(one) && !FENCE.test(one) && !one.startsWith("|");
      yield { kind: "paragraph", text: take((one) => isText(one) && !ITEM.test(one)).join(" ") };
    }
  }
}

function listOf(lines: readonly string[]): List {
  const items: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item) items.push(item[2]!);
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return { kind: "list", isOrdered: /^\d/.test(lines[0]!), items };
}

/** A row without its outer bars. A cell may contain an escaped bar. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function referencesIn(lines: readonly string[]): Map<string, string> {
  const found = lines.map((line) => REFERENCE.exec(line)).filter((match) => match !== null);
  return new Map(found.map(([, name, href]) => [name!, href!]));
}

/** Links, code, bold and emphasis; the rest of a text is escaped. */
const INLINE =
  /(?<code>`+)(?<verbatim>.+?)\k<code>|\[(?<text>(?:`[^`]*`|[^\]])+)\](?:\((?<href>[^)\s]+)\)|\[(?<reference>[^\]]*)\])?|\*\*(?<bold>.+?)\*\*|(?<![\w*])\*(?<soft>[^*\s][^*]*)\*(?![\w*])/g;

class Writer {
  readonly #hrefOf: (href: string) => string | undefined;

  /** `hrefOf` is undefined for what the portal does not have: then only the text is written. */
  constructor(hrefOf: (href: string) => string | undefined) {
    this.#hrefOf = hrefOf;
  }

  inline(text: string): string {
    let html = "";
    let end = 0;
    for (const { index, 0: match, groups = {} } of text.matchAll(INLINE)) {
      html += escaped(text.slice(end, index)) + this.#token(match, groups);
      end = index + match.length;
    }
    return html + escaped(text.slice(end));
  }

  #token(match: string, groups: Record<string, string | undefined>): string {
    const { verbatim, text, href, reference, bold, soft } = groups;
    if (verbatim !== undefined) return codeSpan(verbatim);
    if (bold !== undefined) return `<strong>${this.inline(bold)}</strong>`;
    if (soft !== undefined) return `<em>${this.inline(soft)}</em>`;
    if (text === undefined) return escaped(match);
    const target = href ?? (reference === undefined ? undefined : reference || text);
    if (target === undefined) return escaped(match);
    const to = this.#hrefOf(target);
    return to === undefined
      ? this.inline(text)
      : `<a href="${escaped(to)}">${this.inline(text)}</a>`;
  }

  list({ isOrdered, items }: List): string {
    const tag = isOrdered ? "ol" : "ul";
    return `<${tag}>${items.map((item) => `<li>${this.inline(item)}</li>`).join("")}</${tag}>`;
  }

  table([head = [], , ...body]: readonly string[][]): string {
    const cells = (row: readonly string[], open: string, close: string) =>
      `<tr>${row.map((cell) => `${open}${this.inline(cell)}${close}`).join("")}</tr>`;
    const first = cells(head, '<th scope="col">', "</th>");
    return `<thead>${first}</thead><tbody>${body.map((row) => cells(row, "<td>", "</td>")).join("")}</tbody>`;
  }
}

/** Short code does not wrap, e.g. after a hyphen. Long code must, on a phone. */
const codeSpan = (text: string): string =>
  text.length <= 24
    ? `<code class="guide-word">${escaped(text)}</code>`
    : `<code>${escaped(text)}</code>`;

/** A link of the docs, as a link of the portal. Undefined for files that the portal does not show. */
function rewritten(href: string): string | undefined {
  if (/^(https:|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const hash = fragment === undefined ? "" : `#${fragment}`;
  if (path === "../CHANGELOG.md") return `/portal/developers/changelog${hash}`;
  const name = path.replace(/\.md$/, "");
  return name in GUIDES ? `/portal/developers/guides/${name}${hash}` : undefined;
}

/** A table of contents: nothing but links to headings. The portal has its own. */
const isContents = (text: string): boolean =>
  text.includes("](#") && text.replace(/\[[^\]]+\]\(#[^)]+\)/g, "").replace(/[\s·]/g, "") === "";

/** The anchor of a heading, as GitHub makes it, so that links between the docs work in both places. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

const plainText = (text: string): string =>
  text.replace(/\[([^\]]+)\](?:\([^)]*\))?/g, "$1").replace(/[`*]/g, "");

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
