/** The fields of a schema. Nested ones open on demand, since schemas refer to each other. */

import { useState } from "react";
import { Inline } from "./inline.tsx";
import { type OpenApi, resolved, type Schema, typeName } from "./openapi.ts";

interface Props {
  document: OpenApi;
  schema: Schema;
}

export function SchemaTree({ document, schema }: Props) {
  const { properties = {}, required = [] } = resolved(document, schema);
  return (
    <ul className="schema">
      {Object.entries(properties).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          field={field}
          isRequired={required.includes(name)}
          document={document}
        />
      ))}
    </ul>
  );
}

function Field({
  name,
  field,
  isRequired,
  document,
}: {
  name: string;
  field: Schema;
  isRequired: boolean;
  document: OpenApi;
}) {
  const [isOpen, setOpen] = useState(false);
  const nested = nestedIn(document, field);
  const text = resolved(document, field).description;
  const head = (
    <>
      <code className="schema-name">{name}</code>
      <span className="note">{typeName(field)}</span>
      {!isRequired && <span className="note">optional</span>}
    </>
  );
  const about = text && (
    <p className="small soft">
      <Inline text={text} />
    </p>
  );
  if (nested.length === 0) {
    const { enum: values } = field;
    return (
      <li>
        <div className="row schema-head">{head}</div>
        {about}
        {values && <p className="small soft">One of {values.map(String).join(", ")}.</p>}
      </li>
    );
  }
  return (
    <li>
      <details
        className="fold"
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary className="schema-head">{head}</summary>
        {about}
        {isOpen &&
          nested.map((one) => (
            <div key={typeName(one)} className="schema-nested">
              {nested.length > 1 && <p className="note">{typeName(one)}</p>}
              <SchemaTree document={document} schema={one} />
            </div>
          ))}
      </details>
    </li>
  );
}

/** The schemas with fields that a field or its items may have. */
function nestedIn(document: OpenApi, field: Schema): Schema[] {
  const whole = resolved(document, field);
  const inner = whole.type === "array" && whole.items ? resolved(document, whole.items) : whole;
  const source = whole.type === "array" && whole.items ? whole.items : field;
  const choices = inner.anyOf ?? inner.oneOf ?? [source];
  return choices.filter((one) => Object.keys(resolved(document, one).properties ?? {}).length > 0);
}
