import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Schema = Record<string, unknown>;
type Contents = Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>;
type Operation = {
  requestBody?: { content: Contents };
  responses: Record<string, { headers: Record<string, { required: boolean; schema: Schema }>; content?: Contents }>;
  'x-limit'?: { countedBy: string; windowSeconds: number };
};
type OpenApi = {
  paths: Record<string, Partial<Record<'get' | 'post', Operation>>>;
  'x-max-body-bytes': number;
  'x-max-demo-body-bytes': number;
  'x-max-messages': number;
};

const source: unknown = parse(readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'));

/** The parts of docs/openapi.yaml that tests use, with references resolved. */
export const openapi = resolved(source) as OpenApi;

export type DescribedOperation = Operation & { path: string; method: 'GET' | 'POST' };

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
  return Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) =>
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
    node = (node as Schema)[name.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return node;
}
