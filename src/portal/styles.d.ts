/** In charge of what the type checker must know of style sheets: they are imported for their effect only. */

declare module "*.css";
