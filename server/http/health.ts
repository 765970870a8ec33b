import { Router } from 'express';

/** Whether each part answers; a part that is not configured is not there. */
export type HealthChecks = Record<string, () => Promise<unknown>>;

const patienceMilliseconds = 2_000;

/** `GET /healthz`: the process serves. `GET /readyz`: so do the parts it needs, and it is not on its way out. */
export function createHealthRoutes({ checks, stopping }: { checks: HealthChecks; stopping: AbortSignal }): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/healthz', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });

  router.get('/readyz', async (_request, response) => {
    const parts = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, (await answers(check)) ? 'up' : 'down'] as const),
    );
    const ready = !stopping.aborted && parts.every(([, state]) => state === 'up');
    response
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ ready, draining: stopping.aborted, ...Object.fromEntries(parts) });
  });

  return router;
}

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  const patience = new Promise<boolean>((resolve) => setTimeout(resolve, patienceMilliseconds, false).unref());
  const checked = check().then(
    () => true,
    () => false,
  );
  return Promise.race([checked, patience]);
}
