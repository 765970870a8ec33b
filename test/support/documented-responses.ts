import type { RequestListener } from 'node:http';
import { findUndocumented, operationFor } from '../docs/openapi-answers.ts';

/**
 * Wraps the application so that each response to a documented route is compared with docs/openapi.yaml. An undocumented
 * status, header or content type throws an uncaught error, which fails the current test.
 */
export function failOnUndocumentedResponses(listener: RequestListener): RequestListener {
  return (request, response) => {
    const { method = '' } = request;
    const [path = ''] = (request.url ?? '').split('?', 1);
    const operation = operationFor(method, path);
    if (operation !== undefined) {
      response.once('finish', () => {
        const headers = new Map(response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]));
        const undescribed = findUndocumented(operation, { status: response.statusCode, headers });
        if (undescribed !== undefined) {
          throw new Error(`docs/openapi.yaml does not describe ${method} ${operation.path}: ${undescribed}.`);
        }
      });
    }
    listener(request, response);
  };
}
