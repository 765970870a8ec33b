import { Ajv2020 } from 'ajv/dist/2020.js';

// `example` is OpenAPI's own annotation.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, keywords: ['example'] });

/** Whether a value has the shape that a schema of docs/openapi.yaml gives it. */
export function matcherOf(schema: Record<string, unknown>): (value: unknown) => boolean {
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}
