/** A highlighted code block. Long lines scroll; nothing wraps inside a word. */

import "./code.css";
import { useMemo } from "react";

export type Language = "json" | "shell" | "typescript" | "javascript" | "python" | "text";

interface Props {
  language: Language;
  text: string;
  /** Names the block for screen readers: "curl command". */
  label?: string;
}

/** Longer texts are shown without colours, since each token is an element. */
const MAX_HIGHLIGHTED = 60_000;

export function Code({ language, text, label = "Code" }: Props) {
  const tokens = useMemo(() => tokensOf(language, text), [language, text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard.
    <section className="code-block" aria-label={label} tabIndex={0}>
      <pre>
        <code>
          {tokens.map(({ kind, text }, at) =>
            kind === "plain" ? (
              text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other identity.
              <span key={at} className={`token-${kind}`}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
    </section>
  );
}

type Kind = "plain" | "string" | "number" | "word" | "name" | "comment";

interface Token {
  kind: Kind;
  text: string;
}

const JS_WORDS =
  "async|await|break|case|catch|class|const|continue|else|export|false|finally|for|from|function|if|import|in|let|new|null|of|return|switch|throw|true|try|typeof|undefined|var|while|yield";
const PYTHON_WORDS =
  "and|as|async|await|break|class|continue|def|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield";
const SCRIPT = `(?<comment>//[^\\n]*|/\\*[\\s\\S]*?\\*/)|(?<string>"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'|\`(?:\\\\.|[^\`\\\\])*\`)|(?<word>\\b(?:${JS_WORDS})\\b)|(?<number>\\b\\d[\\d_.]*\\b)|(?<name>\\b[A-Za-z_$][\\w$]*(?=\\())`;

/** One expression per language; the name of the group that matched is the kind of the token. */
const GRAMMARS: Readonly<Record<Exclude<Language, "text">, string>> = {
  json: '(?<name>"(?:\\\\.|[^"\\\\])*"(?=\\s*:))|(?<string>"(?:\\\\.|[^"\\\\])*")|(?<word>\\b(?:true|false|null)\\b)|(?<number>-?\\b\\d[\\d.eE+-]*)',
  shell:
    "(?<comment>(?<=^|\\s)#[^\\n]*)|(?<string>'[^']*'|\"(?:\\\\.|[^\"\\\\])*\")|(?<name>(?<=^|\\n|\\|\\s?)[a-z][\\w./-]*)|(?<word>(?<=\\s)--?[A-Za-z][\\w-]*|\\$\\{?\\w+\\}?)",
  typescript: SCRIPT,
  javascript: SCRIPT,
  python: `(?<comment>#[^\\n]*)|(?<string>"""[\\s\\S]*?"""|f?"(?:\\\\.|[^"\\\\\\n])*"|f?'(?:\\\\.|[^'\\\\\\n])*')|(?<word>\\b(?:${PYTHON_WORDS})\\b)|(?<number>\\b\\d[\\d_.]*\\b)|(?<name>\\b[A-Za-z_]\\w*(?=\\())`,
};

function tokensOf(language: Language, text: string): Token[] {
  if (language === "text" || text.length > MAX_HIGHLIGHTED) return [{ kind: "plain", text }];
  const tokens: Token[] = [];
  let end = 0;
  for (const { index, 0: match, groups = {} } of text.matchAll(
    new RegExp(GRAMMARS[language], "g"),
  )) {
    if (index > end) tokens.push({ kind: "plain", text: text.slice(end, index) });
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? ["plain"];
    tokens.push({ kind: kind as Kind, text: match });
    end = index + match.length;
  }
  if (end < text.length) tokens.push({ kind: "plain", text: text.slice(end) });
  return tokens;
}
