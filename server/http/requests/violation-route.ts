import express, { type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { routes } from '../../../shared/interface.ts';
import { HttpError } from './http-error.ts';
import { postOnly } from './post-only.ts';
import { logIds } from './request-id.ts';
import { readViolations } from './violation.ts';

const mostBytes = 16 * 1024;

/** How many violations of one request are logged. */
const mostViolations = 5;

/**
 * `POST /csp-reports`: where browsers report what breaks the Content-Security-Policy. Each violation is a line in the log at
 * `warn`. 204 whatever the report holds, 413 over 16 KiB, and what `limit` refuses with. It knows no session and no database.
 */
export function createViolationRoute({ limit, logger }: { limit: RequestHandler; logger: Logger }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // No form can post these types, so another site's page reports nothing in a visitor's name.
  const readText = express.text({
    limit: mostBytes,
    type: ['application/csp-report', 'application/reports+json'],
  });

  router.post(
    routes.violations,
    limit,
    (request, response, next) => {
      readText(request, response, (error?: unknown) => {
        const tooLarge = error instanceof Error && 'status' in error && error.status === 413;
        next(tooLarge ? new HttpError(413, `A report is over ${mostBytes} bytes.`) : undefined);
      });
    },
    (request, response) => {
      for (const violation of readViolations(parsed(request.body), mostViolations)) {
        logger.warn({ ...logIds(response), ...violation }, 'a page broke the Content-Security-Policy');
      }
      response.status(204).end();
    },
  );
  router.all(routes.violations, postOnly);

  return router;
}

function parsed(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
