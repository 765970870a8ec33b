import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { z } from 'zod';

const schemaSchema = z.record(z.string(), z.unknown());

const headerSchema = z.object({ required: z.boolean(), schema: schemaSchema });

const mediaTypeSchema = z.object({
  schema: schemaSchema,
  examples: z.record(z.string(), z.object({ summary: z.string().optional(), value: z.unknown() })),
});

const responseSchema = z.object({
  headers: z.record(z.string(), headerSchema),
  content: z.record(z.string(), mediaTypeSchema),
});

const operationSchema = z.object({
  description: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  requestBody: z.object({ content: z.record(z.string(), mediaTypeSchema) }),
  responses: z.record(z.string(), responseSchema),
  'x-limit': z.object({ countedBy: z.string(), requests: z.number(), windowSeconds: z.number() }),
  'x-model': z.object({ maxTokens: z.number(), effort: z.string() }),
});

const documentSchema = z.object({
  info: z.object({ version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.looseObject({ post: operationSchema })),
  components: z.object({ securitySchemes: z.record(z.string(), z.object({ in: z.string(), name: z.string() })) }),
  'x-retry-policy': z.record(z.string(), z.unknown()),
  'x-max-body-bytes': z.number(),
  'x-max-messages': z.number(),
});

const source: unknown = parse(readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'));

/** docs/openapi.yaml as far as tests look at it, its references replaced by what they name. */
export const openapi = documentSchema.parse(resolved(source));

export type DescribedOperation = z.infer<typeof operationSchema>;

/** A route's operation; every route takes POST alone. */
export function operationOf(path: string): DescribedOperation {
  const operation = openapi.paths[path]?.post;
  if (operation === undefined) throw new Error(`${path} is not described.`);
  return operation;
}

/** Every example of every response of an operation. */
export function examplesOf({ responses }: DescribedOperation) {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content).flatMap(({ examples }) =>
      Object.entries(examples).map(([name, { value }]) => ({ status: Number(status), name, value })),
    ),
  );
}

// `example` is OpenAPI's own annotation.
const ajv = new Ajv2020({ strict: true, allErrors: true, keywords: ['example'] });

/** Whether a value has the shape that a schema of the document gives it. */
export function matcherOf(schema: Record<string, unknown>): (value: unknown) => boolean {
  const validate = ajv.compile(schema);
  return (value) => validate(value);
}

function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return resolved(namedBy(String(node.$ref)));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
}

/** What a reference within the document names: `#/components/schemas/Message`. */
function namedBy(reference: string): unknown {
  let node = source;
  for (const name of reference.split('/').slice(1)) {
    node = schemaSchema.parse(node)[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return node;
}
