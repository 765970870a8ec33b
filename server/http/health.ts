import { type RequestHandler, Router } from 'express';
import type { Mount } from './route-checks.ts';

/**
 * Creates the routes for load balancers and supervisors. `GET /healthz`: the process is serving. `GET /readyz`: the
 * process accepts new requests, and responds with 503 once it is shutting down; before it has started, nothing listens.
 * Neither checks dependencies: an unavailable database is unavailable to every instance, and removing all of them from
 * the load balancer would also interrupt everything that still works.
 */
export function createHealthRoutes({ mount, stopping }: { mount: Mount; stopping: AbortSignal }): Router {
  const router = Router({ caseSensitive: true, strict: true });

  mount(router, 'health', [(_request, response) => void response.json({ status: 'ok' })]);

  const reportReadiness: RequestHandler = (_request, response) => {
    const { aborted } = stopping;
    response.status(aborted ? 503 : 200).json({ ready: !aborted, draining: aborted });
  };
  mount(router, 'readiness', [reportReadiness]);

  return router;
}
