import { Router } from 'express';

/**
 * Creates the routes for load balancers and supervisors. `GET /healthz`: the process is serving. `GET /readyz`: the
 * process accepts new requests, and responds with 503 once it is shutting down; before it has started, nothing listens.
 * Neither checks dependencies: an unavailable database is unavailable to every instance, and removing all of them from
 * the load balancer would also interrupt everything that still works.
 */
export function createHealthRoutes({ stopping }: { stopping: AbortSignal }): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });

  router.get('/readyz', (_request, response) => {
    const { aborted } = stopping;
    response
      .status(aborted ? 503 : 200)
      .set('Cache-Control', 'no-store')
      .json({ ready: !aborted, draining: aborted });
  });

  return router;
}
