import type { RequestListener, ServerResponse } from 'node:http';
import { findUndocumented, operationFor } from '../docs/openapi-answers.ts';

/**
 * Wraps the application so that each response to a documented route is compared with docs/openapi.yaml. An undocumented
 * status, header, content type or body throws an uncaught error, which fails the current test.
 */
export function failOnUndocumentedResponses(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { method = '' } = request;
    const [path = ''] = (request.url ?? '').split('?', 1);
    const operation = operationFor(method, path);
    if (operation !== undefined) {
      const readBody = recordBody(response);
      response.once('finish', () => {
        const headers = new Map(response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]));
        const undescribed = findUndocumented(operation, { status: response.statusCode, headers, body: readBody() });
        if (undescribed !== undefined) {
          throw new Error(`docs/openapi.yaml does not describe ${method} ${operation.path}: ${undescribed}.`);
        }
      });
    }
    listener(request, response);
  };
}

function recordBody(response: ServerResponse): () => string {
  const chunks: Buffer[] = [];
  for (const method of ['write', 'end'] as const) {
    const original = response[method];
    Object.assign(response, {
      [method](...parameters: unknown[]) {
        const [chunk, encoding] = parameters;
        if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encoding === 'latin1' ? encoding : 'utf8'));
        else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
        return Reflect.apply(original, response, parameters);
      },
    });
  }
  return () => Buffer.concat(chunks).toString();
}
