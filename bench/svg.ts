/** SVG elements for plots. */

const INK = "#24292f";
export const FAINT = "#6e7781";
export const GRID = "#d8dee4";
/** Distinguishable for colour-blind readers and in greyscale. */
export const COLOURS = { matchbook: "#0969da", ceiling: "#9aa4ae", conventional: "#e16f24" };

export interface TextOptions {
  size?: number;
  fill?: string;
  anchor?: "start" | "middle" | "end";
  bold?: boolean;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);

export function text(x: number, y: number, words: string, options: TextOptions = {}): string {
  const { size = 12, fill = INK, anchor = "start", bold = false } = options;
  const weight = bold ? ' font-weight="600"' : "";
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}"${weight}>${escaped(words)}</text>`;
}

export function box(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 0.5))}" height="${round(height)}" fill="${fill}"/>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke = GRID): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${stroke}"/>`;
}

export function curve(points: readonly (readonly [number, number])[], stroke: string): string {
  const list = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
  return `<polyline points="${list}" fill="none" stroke="${stroke}" stroke-width="2" stroke-linejoin="round"/>`;
}

export function dot(x: number, y: number, fill: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="3" fill="${fill}"/>`;
}

/** With a background of its own, for light and dark pages. */
export function picture(width: number, height: number, title: string, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>`,
    text(20, 30, title, { size: 16, bold: true }),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
