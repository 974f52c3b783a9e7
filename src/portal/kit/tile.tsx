/** Tiles that stand for players, heroes and items: generated monograms, or the operator's pictures. */

import "./tile.css";
import { type CSSProperties, useState } from "react";
import { heroName, itemName } from "../names.ts";

interface TileProps {
  /** In pixels. */
  size?: number;
  /** The name is visible beside the tile, so screen readers skip the tile. */
  isDecorative?: boolean;
}

/** Always decorative: the name is shown beside it. */
export function Avatar({ id, name, size = 40 }: { id: string; name: string; size?: number }) {
  return (
    <Tile seed={id} name={name} text={lettersOf(name)} size={size} shape="avatar" isDecorative />
  );
}

/** `actor` is the code in the record, e.g. `*Hero009*`. */
export const HeroTile = ({ actor, ...rest }: { actor: string } & TileProps) => (
  <NamedTile name={heroName(actor)} folder="heroes" shape="hero" {...rest} />
);

/** `item` is the code in the record, e.g. `*Item_SprintBoots*`. */
export const ItemTile = ({ item, ...rest }: { item: string } & TileProps) => (
  <NamedTile name={itemName(item)} folder="items" shape="item" {...rest} />
);

interface NamedTileProps extends Omit<Props, "seed" | "text" | "picture"> {
  folder: string;
}

const NamedTile = ({ folder, ...rest }: NamedTileProps) => (
  <Tile
    seed={rest.name}
    text={monogramOf(rest.name)}
    picture={`${folder}/${slugOf(rest.name)}`}
    {...rest}
  />
);

interface Props extends TileProps {
  /** Equal seeds have equal colours. */
  seed: string;
  name: string;
  text: string;
  /** Below `/portal/pictures/`. */
  picture?: string;
  shape: "avatar" | "hero" | "item";
}

function Tile({ seed, name, text, picture, shape, size = 32, isDecorative = false }: Props) {
  const style = { "--size": `${size}px`, "--hue": hueOf(seed) } as CSSProperties;
  const named = isDecorative
    ? ({ "aria-hidden": true } as const)
    : ({ role: "img", "aria-label": name, title: name } as const);
  return (
    <span className={`tile tile-${shape}`} style={style} {...named}>
      <span aria-hidden="true">{text}</span>
      {picture !== undefined && hasPictures && <Picture key={picture} path={picture} />}
    </span>
  );
}

/** Covers the monogram once it has loaded. */
function Picture({ path }: { path: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return null;
  return (
    <img
      className="tile-picture"
      src={`/portal/pictures/${path}`}
      alt=""
      loading="lazy"
      onError={() => setMissing(true)}
    />
  );
}

/** Whether the operator supplies pictures. */
const hasPictures =
  document.querySelector<HTMLMetaElement>('meta[name="matchbook-pictures"]')?.content === "on";

/** "Hero 009" is `hero-009`. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** A hue from 0 to 359. Neighbouring seeds get distant hues. */
function hueOf(seed: string): number {
  let hash = 2166136261;
  for (let at = 0; at < seed.length; at++)
    hash = Math.imul(hash ^ seed.charCodeAt(at), 16777619) >>> 0;
  return (Math.imul(hash ^ (hash >>> 15), 2654435761) >>> 0) % 360;
}

/** "GlacierFox" is "GF", "rook" is "RO". */
function lettersOf(name: string): string {
  const letters = [...name].filter((one) => /[\p{L}\p{N}]/u.test(one));
  const capitals = letters.filter((one) => /\p{Lu}/u.test(one));
  const chosen = capitals.length >= 2 ? capitals : letters;
  return chosen.slice(0, 2).join("").toUpperCase() || "?";
}

/** "Hero 009" is "H9", "Sprint Boots" is "SB", "Ivo" is "Iv". */
function monogramOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  const [first = "?", second] = words;
  const initial = [...first][0]!.toUpperCase();
  const number = words.slice(1).find((word) => /^\d+$/.test(word));
  if (number !== undefined) return `${initial}${Number(number) % 1000}`;
  if (second !== undefined) return `${initial}${[...second][0]!.toUpperCase()}`;
  return `${initial}${[...first][1] ?? ""}`;
}
