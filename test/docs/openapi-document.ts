import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const schemaSchema = z.record(z.string(), z.unknown());

const headerSchema = z.object({ required: z.boolean(), schema: schemaSchema });

const mediaTypeSchema = z.object({
  schema: schemaSchema,
  examples: z.record(z.string(), z.object({ summary: z.string(), value: z.unknown() })).default({}),
});

const responseSchema = z.object({
  headers: z.record(z.string(), headerSchema),
  content: z.record(z.string(), mediaTypeSchema).default({}),
});

const operationSchema = z.object({
  requestBody: z.object({ content: z.record(z.string(), mediaTypeSchema) }).optional(),
  responses: z.record(z.string(), responseSchema),
  'x-limit': z.object({ countedBy: z.string(), requests: z.number(), windowSeconds: z.number() }).optional(),
});

const documentSchema = z.object({
  paths: z.record(z.string(), z.partialRecord(z.enum(['get', 'post']), operationSchema)),
  'x-max-body-bytes': z.number(),
  'x-max-demo-body-bytes': z.number(),
  'x-max-messages': z.number(),
});

const source: unknown = parse(readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'));

/** The parts of docs/openapi.yaml that tests use, with references resolved. */
export const openapi = documentSchema.parse(resolved(source));

export type DescribedOperation = z.infer<typeof operationSchema> & { path: string; method: 'GET' | 'POST' };

/** All operations. Each path has exactly one. */
export const operations: DescribedOperation[] = Object.entries(openapi.paths).map(([path, { get, post }]) => {
  const operation = get ?? post;
  if (operation === undefined || (get && post)) throw new Error(`${path} does not have exactly one operation.`);
  return { ...operation, path, method: get ? 'GET' : 'POST' };
});

export function operationOf(path: string): DescribedOperation {
  const operation = operations.find((each) => each.path === path);
  if (operation === undefined) throw new Error(`${path} is not in docs/openapi.yaml.`);
  return operation;
}

export function examplesOf({ responses }: DescribedOperation) {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content).flatMap(({ examples }) =>
      Object.entries(examples).map(([name, { value }]) => ({ status: Number(status), name, value })),
    ),
  );
}

function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  if ('$ref' in node) return resolved(resolveReference(String(node.$ref)));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
}

function resolveReference(reference: string): unknown {
  let node = source;
  for (const name of reference.split('/').slice(1)) {
    node = schemaSchema.parse(node)[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return node;
}
