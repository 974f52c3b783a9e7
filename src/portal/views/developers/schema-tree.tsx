/** The fields of a schema. Nested ones open on demand, since schemas refer to each other. */

import { useState } from "react";
import { Inline } from "./inline.tsx";
import { type OpenApi, resolved, type Schema, typeName } from "./openapi.ts";

export function SchemaTree({ document, schema }: { document: OpenApi; schema: Schema }) {
  const { properties = {}, required = [] } = resolved(document, schema);
  return (
    <ul className="schema">
      {Object.entries(properties).map(([name, field]) => (
        <Field key={name} {...{ name, field, document }} isRequired={required.includes(name)} />
      ))}
    </ul>
  );
}

interface FieldProps {
  document: OpenApi;
  name: string;
  field: Schema;
  isRequired: boolean;
}

function Field({ document, name, field, isRequired }: FieldProps) {
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
    return (
      <li>
        <div className="row schema-head">{head}</div>
        {about}
        {field.enum && <p className="small soft">One of {field.enum.map(String).join(", ")}.</p>}
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
  const source = whole.type === "array" && whole.items ? whole.items : field;
  const { anyOf, oneOf } = resolved(document, source);
  const choices = anyOf ?? oneOf ?? [source];
  return choices.filter((one) => Object.keys(resolved(document, one).properties ?? {}).length > 0);
}
