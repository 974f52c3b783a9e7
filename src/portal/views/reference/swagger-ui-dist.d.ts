/** In charge of what is known of Swagger UI: as much of it as the reference uses. */

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  /** What a plugin gets: among other things, the library's own React. */
  export interface System {
    React: typeof import("react");
    getComponent(name: string, isContainer?: boolean): import("react").ComponentType;
  }

  export interface Options {
    domNode: HTMLElement;
    spec: object;
    layout: string;
    plugins: ((system: System) => { components: Record<string, unknown> })[];
    deepLinking: boolean;
    docExpansion: "list" | "full" | "none";
    defaultModelsExpandDepth: number;
    displayRequestDuration: boolean;
    tryItOutEnabled: boolean;
    validatorUrl: null;
    syntaxHighlight: { activated: boolean };
    requestInterceptor(request: { headers: Record<string, string> }): object;
  }

  export default function SwaggerUIBundle(options: Options): void;
}

/** The address of the library's style sheet: put in by scripts/portal.ts. */
declare const SWAGGER_UI_STYLES: string;
