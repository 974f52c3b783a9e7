/** A field to choose a region. The region with the newest match is listed first. */

import { useId } from "react";
import { useRegions } from "../regions.ts";

interface Props {
  value: string;
  onChange(region: string): void;
  /** Only screen readers need the label, e.g. in the header. */
  isLabelHidden?: boolean;
}

export function RegionPicker({ value, onChange, isLabelHidden = false }: Props) {
  const { regions } = useRegions();
  const id = useId();
  const known = regions.map((region) => region.id);
  // The region of a shared link may be unavailable, or not known yet.
  const ids = value === "" || known.includes(value) ? known : [value, ...known];
  return (
    <span className="region-picker">
      <label htmlFor={id} className={isLabelHidden ? "visually-hidden" : ""}>
        Region
      </label>
      <select
        id={id}
        className="input input-small"
        value={value}
        disabled={ids.length === 0}
        onChange={(event) => onChange(event.target.value)}
      >
        {(ids.length === 0 || value === "") && <option value="">None yet</option>}
        {ids.map((one) => (
          <option key={one} value={one}>
            {one.toUpperCase()}
          </option>
        ))}
      </select>
    </span>
  );
}
