/** Loads Swagger UI and its style sheet when the reference page is opened. */

import type { System } from "swagger-ui-dist/swagger-ui-es-bundle.js";

/** Renders an OpenAPI document into an element. `currentKey` is called for every request. */
export type Show = (
  root: HTMLElement,
  description: object,
  currentKey: () => string | undefined,
) => void;

export async function loadSwaggerUi(): Promise<Show> {
  const [{ default: SwaggerUI }] = await Promise.all([
    import("swagger-ui-dist/swagger-ui-es-bundle.js"),
    loadStyles(),
  ]);
  return (root, description, currentKey) => {
    SwaggerUI({
      domNode: root,
      spec: description,
      layout: "Operations",
      plugins: [operationsOnly],
      deepLinking: false,
      docExpansion: "list",
      defaultModelsExpandDepth: -1,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      validatorUrl: null,
      syntaxHighlight: { activated: false },
      // The key is added here and not given to Swagger UI, which would keep sending it after it is removed.
      requestInterceptor(request) {
        const key = currentKey();
        if (key) request.headers.Authorization = `Bearer ${key}`;
        return request;
      },
    });
  };
}

/** A layout with the list of operations only: the portal has its own heading and key dialog. */
function operationsOnly(system: System) {
  const { React } = system;
  const Operations = ({ getComponent }: Pick<System, "getComponent">) => {
    const Assets = getComponent("SvgAssets");
    const List = getComponent("operations", true);
    return React.createElement(
      "div",
      { className: "swagger-ui" },
      React.createElement(Assets),
      React.createElement(List),
    );
  };
  return { components: { Operations } };
}

let styles: Promise<void> | undefined;

function loadStyles(): Promise<void> {
  styles ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = SWAGGER_UI_STYLES;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      styles = undefined;
      reject(new Error("The API reference failed to load. Try again."));
    };
    // Before the portal's own style sheet, which overrides it.
    document.head.prepend(link);
  });
  return styles;
}
