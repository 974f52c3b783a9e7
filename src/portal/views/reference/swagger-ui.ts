/** In charge of Swagger UI: loaded with its style sheet when the reference is opened, and shown as one of our pages. */

import type { System } from "swagger-ui-dist/swagger-ui-es-bundle.js";

/** Shows a description in a place; the key is asked for whenever a request is sent. */
export type Show = (
  place: HTMLElement,
  description: object,
  keyNow: () => string | undefined,
) => void;

export async function loadSwaggerUi(): Promise<Show> {
  const [{ default: SwaggerUI }] = await Promise.all([
    import("swagger-ui-dist/swagger-ui-es-bundle.js"),
    loadSheet(),
  ]);
  return (place, description, keyNow) => {
    SwaggerUI({
      domNode: place,
      spec: description,
      layout: "Operations",
      plugins: [operationsAlone],
      deepLinking: false,
      docExpansion: "list",
      defaultModelsExpandDepth: -1,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      validatorUrl: null,
      syntaxHighlight: { activated: false },
      // The library is told of no key: it would go on sending one that the visitor has made us forget.
      requestInterceptor(request) {
        const key = keyNow();
        if (key) request.headers.Authorization = `Bearer ${key}`;
        return request;
      },
    });
  };
}

/** The page has a heading and a key of its own: what is left is the list of operations. */
function operationsAlone(system: System) {
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

let sheet: Promise<void> | undefined;

function loadSheet(): Promise<void> {
  sheet ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = SWAGGER_UI_STYLES;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      sheet = undefined;
      reject(new Error("The style sheet of the reference could not be loaded. Try again."));
    };
    // Before the portal's own, which has the last word.
    document.head.prepend(link);
  });
  return sheet;
}
