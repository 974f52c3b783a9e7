/** The developer area: guides rendered from the docs, endpoints read from OpenAPI, days of usage. */

import { describe, expect, test } from "bun:test";
import { renderGuide } from "../../scripts/portal-guides.ts";

describe("a guide", () => {
  const rendered = (markdown: string) => renderGuide(`# Title\n\n${markdown}`, "test.md");
  const htmlOf = (markdown: string) => {
    const [block] = rendered(markdown).blocks;
    return block?.kind === "html" ? block.html : undefined;
  };

  const texts: [what: string, markdown: string, html: string][] = [
    ["escapes markup", 'a <b> & "c"', "<p>a &lt;b&gt; &amp; &quot;c&quot;</p>"],
    [
      "keeps code as it is",
      "`<a> **b** [c](d)`",
      '<p><code class="guide-word">&lt;a&gt; **b** [c](d)</code></p>',
    ],
    ["keeps line breaks, which are spaces", "one\ntwo", "<p>one\ntwo</p>"],
    [
      "has bold text",
      "**a `b`** c*",
      '<p><strong>a <code class="guide-word">b</code></strong> c*</p>',
    ],
    ["has lists", "- one\n  more\n- two", "<ul><li>one\nmore</li><li>two</li></ul>"],
    ["has numbered lists", "1. one\n2. two", "<ol><li>one</li><li>two</li></ol>"],
    [
      "links to another guide",
      "[`x` y](api.md#rate-limits)",
      '<p><a href="/portal/developers/guides/api#rate-limits"><code class="guide-word">x</code> y</a></p>',
    ],
    [
      "links to the changelog",
      "[c](../CHANGELOG.md)",
      '<p><a href="/portal/developers/changelog">c</a></p>',
    ],
    ["drops links to what the portal does not have", "[o](operate.md#x)", "<p>o</p>"],
    ["keeps other brackets", "fields[TYPE] and [1, 2]", "<p>fields[TYPE] and [1, 2]</p>"],
    ["links by reference", "[a][b]\n\n[b]: https://h/", '<p><a href="https://h/">a</a></p>'],
  ];
  test.each(texts)("%s", (_, markdown, html) => {
    expect(htmlOf(markdown)).toBe(html);
  });

  test("has anchors like GitHub's, code with its language, and named tables", () => {
    const guide = rendered(
      "## Smaller responses: `include`\n\n```sh\nls\n```\n\n|A|B|\n|---|---|\n|`a\\|b`|c|",
    );
    expect(guide.headings).toEqual([
      { id: "smaller-responses-include", text: "Smaller responses: include", level: 2 },
    ]);
    expect(guide.blocks.slice(1)).toEqual([
      { kind: "code", label: "Code: Smaller responses: include", language: "sh", text: "ls" },
      {
        kind: "table",
        label: "Table: Smaller responses: include",
        html: '<thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody><tr><td><code class="guide-word">a|b</code></td><td>c</td></tr></tbody>',
      },
    ]);
  });

  test("has a different name for each table and each code block", () => {
    const { blocks } = rendered("```\na\n```\n\n```\nb\n```");
    expect(blocks.map((block) => "label" in block && block.label)).toEqual([
      "Code: Title",
      "Code: Title (2)",
    ]);
  });

  test("leaves out a list of links to its own headings, since the page has one", () => {
    expect(rendered("[A](#a) · [B](#b)").blocks).toEqual([]);
  });

  test("with a block that has no style stops the build", () => {
    expect(() => rendered("> quoted")).toThrow("no style");
  });
});
