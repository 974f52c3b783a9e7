/** Lets TypeScript accept style sheets that are imported for their side effect. */

declare module "*.css";
