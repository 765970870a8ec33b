import type { RequestListener } from 'node:http';
import { findUndocumented, operationFor } from '../docs/openapi-answers.ts';

/**
 * The application, watched: an answer to a described route whose status, headers or content type docs/openapi.yaml does not
 * have is an error that nobody catches, and fails the test in which it was given.
 */
export function withDescribedAnswers(listener: RequestListener): RequestListener {
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
