/** Types for the part of Swagger UI that the reference page uses. */

declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  /** Passed to plugins; it includes Swagger UI's own React. */
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

/** The URL of Swagger UI's style sheet; scripts/portal.ts inserts it. */
declare const SWAGGER_UI_STYLES: string;
