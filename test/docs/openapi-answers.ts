import { Ajv2020 } from 'ajv/dist/2020.js';
import { providerNames } from '../../shared/session.ts';
import { type DescribedOperation, operations } from './openapi-document.ts';

/** Standard HTTP headers and security headers, which the document does not list. */
const undocumentedHeaders = [
  ...['connection', 'content-length', 'content-type', 'date', 'etag', 'keep-alive', 'transfer-encoding', 'vary'],
  ...['content-security-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'origin-agent-cluster'],
  ...['permissions-policy', 'referrer-policy', 'strict-transport-security', 'x-content-type-options'],
  ...['x-dns-prefetch-control', 'x-download-options', 'x-frame-options', 'x-permitted-cross-domain-policies'],
  'x-xss-protection',
];

const addresses = operations.map((operation) => ({
  operation,
  address: new RegExp(`^${operation.path.replace('{provider}', `(?:${providerNames.join('|')})`)}$`),
}));

/** Returns undefined if no operation has the method and path. */
export function operationFor(method: string, path: string): DescribedOperation | undefined {
  return addresses.find(({ operation, address }) => operation.method === method && address.test(path))?.operation;
}

function readContentType(contentType: string) {
  const [type = '', parameters = ''] = contentType.split(/; */, 2);
  return { type, isUtf8: parameters.toLowerCase() === 'charset=utf-8' };
}

// `example` is an annotation of OpenAPI.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, keywords: ['example'] });

function findSchemaError(schema: object, value: unknown): string | undefined {
  return ajv.validate(schema, value) ? undefined : ajv.errorsText();
}

type ReceivedResponse = { status: number; headers: ReadonlyMap<string, string>; body: string };

/**
 * Compares the status, headers, content type and body of a response with docs/openapi.yaml. Returns a message for the first
 * difference, or undefined. Header names are in lower case.
 */
export function findUndocumented(
  { responses }: DescribedOperation,
  { status, headers, body }: ReceivedResponse,
): string | undefined {
  // Any GET can respond with 304 to an `If-None-Match`.
  if (status === 304) return undefined;
  const response = responses[status];
  if (response === undefined) return `the status ${status}`;

  const described = new Map(Object.entries(response.headers).map(([name, header]) => [name.toLowerCase(), header]));
  for (const [name, { required, schema }] of described) {
    const value = headers.get(name);
    if (value === undefined) {
      if (required) return `${status} without ${name}`;
      continue;
    }
    const error = findSchemaError(schema, schema.type === 'integer' ? Number(value) : value);
    if (error !== undefined) return `${status} with ${name} "${value}" (${error})`;
  }
  const unknown = [...headers.keys()].find((name) => !undocumentedHeaders.includes(name) && !described.has(name));
  if (unknown !== undefined) return `${status} with ${unknown}`;

  if (body === '' && !headers.has('content-type')) {
    return status === 302 || response.content === undefined ? undefined : `${status} without a body`;
  }
  const { type, isUtf8 } = readContentType(headers.get('content-type') ?? '');
  const media = response.content?.[type];
  if (media === undefined || !isUtf8) return `${status} as ${headers.get('content-type')}`;
  const error = findSchemaError(media.schema, type === 'application/json' ? JSON.parse(body) : body);
  return error && `${status} with this body (${error}): ${body.slice(0, 200)}`;
}
