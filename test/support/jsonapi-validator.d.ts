declare module "jsonapi-validator" {
  /** Checks documents against the JSON:API schema. */
  export class Validator {
    isValid(document: unknown): boolean;
    validate(document: unknown): void;
  }
}
