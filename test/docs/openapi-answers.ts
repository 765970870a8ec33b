import { providerNames } from '../../shared/session.ts';
import { type DescribedOperation, operations } from './openapi-document.ts';

/** Standard HTTP headers and security headers, which the document does not list. */
const undocumentedHeaders = [
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'etag',
  'keep-alive',
  'origin-agent-cluster',
  'permissions-policy',
  'referrer-policy',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
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

/**
 * Compares the status, headers and content type of a response with docs/openapi.yaml. Returns a message for the first difference,
 * or undefined. Header names are in lower case.
 */
export function findUndocumented(
  { responses }: DescribedOperation,
  { status, headers }: { status: number; headers: ReadonlyMap<string, string> },
): string | undefined {
  // Any GET can respond with 304 to an `If-None-Match`.
  if (status === 304) return undefined;
  const response = responses[status];
  if (response === undefined) return `the status ${status}`;

  const described = Object.entries(response.headers).map(([name, { required }]) => ({
    name: name.toLowerCase(),
    required,
  }));
  const missing = described.find(({ name, required }) => required && !headers.has(name));
  if (missing !== undefined) return `${status} without ${missing.name}`;
  const known = [...undocumentedHeaders, ...described.map(({ name }) => name)];
  const unknown = [...headers.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) return `${status} with ${unknown}`;

  // A redirect can repeat its address in a body.
  if (Object.keys(response.content).length === 0) return undefined;
  const { type, isUtf8 } = readContentType(headers.get('content-type') ?? '');
  return response.content[type] && isUtf8 ? undefined : `${status} as ${headers.get('content-type')}`;
}
