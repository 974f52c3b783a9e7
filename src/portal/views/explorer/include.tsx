/** Selects the related resources to include: everything, nothing, or some paths. */

import { INCLUDE_PATHS } from "../../../domain/vocabulary.ts";
import { Segmented } from "../../kit/segmented.tsx";
import { type ControlProps, Toggles } from "./controls.tsx";
import { itemsIn, listOf } from "./lists.ts";

type Extent = "all" | "none" | "some";

export function IncludeControl({
  value,
  onChange,
  hasPaths,
}: ControlProps & { hasPaths: boolean }) {
  const paths = itemsIn(value);
  const extent: Extent = value === undefined ? "all" : value === "" ? "none" : "some";
  const known: readonly string[] = INCLUDE_PATHS;
  const choices = [
    { value: "all", label: "Everything" },
    { value: "none", label: "Nothing" },
    ...(hasPaths || extent === "some" ? [{ value: "some", label: "Selected" }] : []),
  ];
  const choose = (chosen: string) => {
    if (chosen === extent) return;
    onChange(chosen === "all" ? undefined : chosen === "none" ? "" : INCLUDE_PATHS[0]);
  };
  return (
    <>
      <Segmented label="Include" options={choices} value={extent} onChange={choose} />
      {extent === "some" && (
        <Toggles
          items={[...known, ...paths.filter((path) => !known.includes(path))]}
          chosen={paths}
          labelOf={(path) => path}
          onChange={(chosen) => onChange(listOf(chosen) ?? "")}
        />
      )}
    </>
  );
}
