import { Router } from 'express';

/**
 * For balancers and supervisors. `GET /healthz`: the process serves. `GET /readyz`: send it requests, for it is not on its
 * way out; before it has started, nothing listens. Neither asks another part: a database that is away is away for every
 * instance, and to take them all out of the balancer would end what still works.
 */
export function createHealthRoutes({ stopping }: { stopping: AbortSignal }): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });

  router.get('/readyz', (_request, response) => {
    const draining = stopping.aborted;
    response
      .status(draining ? 503 : 200)
      .set('Cache-Control', 'no-store')
      .json({ ready: !draining, draining });
  });

  return router;
}
