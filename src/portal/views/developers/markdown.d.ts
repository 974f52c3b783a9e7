/** Markdown files are rendered by scripts/portal-guides.ts. */

declare module "*.md" {
  const guide: import("./guide.ts").Guide;
  export default guide;
}
