/**
 * Renders Markdown files for the portal while it is built: each becomes a module with a `Guide`, which is loaded when
 * the page is opened. HTML in a file is shown as text.
 */

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Marked, type MarkedToken, type Token } from "marked";
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

const marked = new Marked({
  renderer: {
    html: ({ text }) => escaped(text),
    /** Short code does not wrap, e.g. after a hyphen. Long code must, on a phone. */
    codespan: ({ text }) =>
      `<code${text.length <= 24 ? ' class="guide-word"' : ""}>${escaped(text)}</code>`,
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const to = rewritten(href);
      return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`;
    },
  },
});

export function renderGuide(markdown: string, file: string): Guide {
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
  for (const token of marked.lexer(markdown) as MarkedToken[]) {
    switch (token.type) {
      case "heading": {
        // A version in the changelog is a link to its changes.
        const heading = token.text.replace(/^\[([^\]]+)\]/, "$1");
        const text = plainText(heading);
        const { depth: level } = token;
        if (level === 1) {
          title = text;
          break;
        }
        const id = anchorOf(text);
        headings.push({ id, text, level });
        const link = `<a class="guide-anchor" href="#${id}" aria-label="Link to ${escaped(text)}">#</a>`;
        addHtml(`<h${level} id="${id}">${marked.parseInline(heading)}${link}</h${level}>`);
        break;
      }
      case "code": {
        const { lang: language = "", text } = token;
        blocks.push({ kind: "code", label: labelled("Code"), language, text });
        break;
      }
      case "table":
        blocks.push({ kind: "table", label: labelled("Table"), html: tableHtml(token) });
        break;
      case "list":
      case "paragraph":
        if (!isContents(token.raw)) addHtml(htmlOf(token));
        break;
      case "space":
      case "def":
        break;
      default:
        throw new Error(`the guides have no style for "${token.raw.trim()}": add one`);
    }
  }
  if (title === undefined) throw new Error(`${file} has no title: start it with "# Title"`);
  return { title, headings, blocks };
}

/** Without the line breaks between elements. */
const htmlOf = (token: Token): string => marked.parser([token]).replaceAll(">\n", ">");

/** Without the `table` element, which is a component of the page. */
const tableHtml = (token: Token): string =>
  htmlOf(token)
    .replace(/<\/?table>/g, "")
    .replaceAll("<th>", '<th scope="col">');

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
