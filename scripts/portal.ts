/** `npm run portal`: bundles and compresses the portal into the file that the server reads. */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { BUILT_PACK, type PackedFile, writePack } from "../src/http/portal-assets.ts";
import { guides } from "./portal-guides.ts";

const PORTAL = resolve(import.meta.dir, "..", "src", "portal");
const ASSETS_URL = "/portal/assets/";

const { values: flags } = parseArgs({
  options: {
    outfile: { type: "string", default: BUILT_PACK },
    // Prints errors only; used at install.
    quiet: { type: "boolean", default: false },
  },
});
const outfile = resolve(flags.outfile);

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** Placeholders in index.html, and the file names that replace them. */
interface FileNames {
  MAIN: string;
  STYLES: string;
  THEME: string;
  ICON: string;
  TOUCH_ICON: string;
  /** Loaded early, because every page needs it. */
  FONT: string;
}

function packed(extension: string, content: Uint8Array | string): PackedFile {
  const type = TYPES[extension];
  if (type === undefined) throw new Error(`no media type for ${extension}: add it to TYPES`);
  const tag = `W/"${Bun.hash(content).toString(36)}"`;
  const gzip = gzipSync(content, { level: 9 });
  // Fonts and images are compressed already.
  const isText = type.startsWith("text/");
  return { type, tag, gzip, ...(isText && { brotli: brotliCompressSync(content) }) };
}

/** Fonts are files of their own; the bundler would write them into the style sheet. */
const fonts: Bun.BunPlugin = {
  name: "fonts",
  setup(build) {
    build.onResolve({ filter: /\.woff2$/ }, ({ path, importer }) => ({
      path: ASSETS_URL + addFile(Bun.resolveSync(path, dirname(importer))),
      external: true,
    }));
  },
};

async function bundle(entry: string) {
  return Bun.build({
    entrypoints: [join(PORTAL, entry)],
    target: "browser",
    format: "esm",
    splitting: true,
    metafile: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    publicPath: ASSETS_URL,
    plugins: [fonts, guides],
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "[name]-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
  });
}

const hashed = (name: string, content: Uint8Array | string) => {
  const extension = extname(name);
  return `${basename(name, extension)}-${Bun.hash(content).toString(36).slice(0, 8)}${extension}`;
};

/** index.html with the placeholders replaced. */
function pageWith(names: FileNames): string {
  const template = readFileSync(join(PORTAL, "index.html"), "utf8");
  return Object.entries(names).reduce((page, [placeholder, name]) => {
    if (!page.includes(ASSETS_URL + placeholder))
      throw new Error(`index.html does not contain ${placeholder}`);
    return page.replaceAll(ASSETS_URL + placeholder, ASSETS_URL + name);
  }, template);
}

/** The scripts that each view and guide needs, except the main one, by the name of its folder or file. */
function scriptsOf({ metafile }: Bun.BuildOutput, main: string): Record<string, string[]> {
  const outputs = metafile!.outputs;
  const needed = (path: string, found = new Set<string>()): Set<string> => {
    if (basename(path) === main || found.has(path)) return found;
    found.add(path);
    for (const { path: other, kind } of outputs[path]!.imports) {
      if (kind === "import-statement") needed(other, found);
    }
    return found;
  };
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) => {
      const name = /views\/(\w+)\/view\.tsx$|(\w+)\.md$/.exec(entryPoint ?? "");
      if (!name || !path.endsWith(".js")) return [];
      return [[(name[1] ?? name[2])!.toLowerCase(), [...needed(path)].map((one) => basename(one))]];
    }),
  );
}

const isPageStyles = (name: string) => /^main-.*\.css$/.test(name);

const assets = new Map<string, PackedFile>();
const add = (name: string, content: Uint8Array | string) =>
  assets.set(name, packed(extname(name), content));

/** Adds a file as it is, and returns its name, which changes with the content. */
function addFile(path: string): string {
  const content = readFileSync(path);
  const name = hashed(path, content);
  add(name, content);
  return name;
}

const theme = await bundle("apply-theme.ts");
const main = await bundle("main.tsx");
for (const output of [...main.outputs, ...theme.outputs]) {
  // The page's style sheet contains the styles of all views, so the separate ones are dropped.
  const name = basename(output.path);
  if (extname(name) === ".css" && !isPageStyles(name)) continue;
  add(name, new Uint8Array(await output.arrayBuffer()));
}

const nameOf = ({ outputs }: Bun.BuildOutput, isIt: (output: Bun.BuildArtifact) => boolean) => {
  const found = outputs.find(isIt);
  if (found === undefined)
    throw new Error("the bundler did not produce a file that index.html needs");
  return basename(found.path);
};
const isEntry = ({ kind }: Bun.BuildArtifact) => kind === "entry-point";
const mainScript = nameOf(main, isEntry);
const scripts = scriptsOf(main, mainScript);
const page = packed(
  ".html",
  pageWith({
    MAIN: mainScript,
    STYLES: nameOf(main, ({ path }) => isPageStyles(basename(path))),
    THEME: nameOf(theme, isEntry),
    ICON: addFile(join(PORTAL, "icon.svg")),
    TOUCH_ICON: addFile(join(PORTAL, "touch-icon.png")),
    FONT: assets.keys().find((name) => name.startsWith("inter-latin-wght-normal-"))!,
  }),
);

// The page of the admin listener, with its own script and style sheet.
const operatorBundle = await bundle("operator/main.tsx");
for (const output of operatorBundle.outputs) {
  add(`operator-${basename(output.path)}`, new Uint8Array(await output.arrayBuffer()));
}
const operatorFile = (isIt: (output: Bun.BuildArtifact) => boolean) =>
  `${ASSETS_URL}operator-${nameOf(operatorBundle, isIt)}`;
const operator = packed(
  ".html",
  readFileSync(join(PORTAL, "operator", "index.html"), "utf8")
    .replace("SCRIPT", operatorFile(isEntry))
    .replace(
      "STYLES",
      operatorFile(({ path }) => extname(path) === ".css"),
    ),
);

mkdirSync(dirname(outfile), { recursive: true });
// Renamed into place, so that a starting server never reads a partial file.
const fresh = `${outfile}.${process.pid}`;
writeFileSync(fresh, writePack({ page, operator, assets, scripts }));
renameSync(fresh, outfile);

if (!flags.quiet) {
  const files = [["index.html", page] as const, ...assets].sort(
    ([, one], [, other]) => other.gzip.length - one.gzip.length,
  );
  for (const [name, { gzip }] of files) {
    console.log(`${(gzip.length / 1024).toFixed(1).padStart(8)} KB gzip  ${name}`);
  }
  console.log(relative(process.cwd(), outfile));
}
