import { Router } from 'express';
import { headers, promptVersion, routes } from '../../shared/interface.ts';
import { postOnly } from '../http/errors.ts';
import type { Mount } from '../http/route-checks.ts';
import { createStreamHandler, type TextHandler } from '../http/text-reply.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { LateWrites } from './late-writes.ts';
import type { StreamLimit } from './stream-limit.ts';

type Options = { mount: Mount; streams: StreamLimit; limiter: Limiter; lateWrites: LateWrites; turn: TextHandler };

/** `POST /api/chat`: one turn of a signed-in user, conditioned on their engagement, streamed and stored. */
export function createLiveRoute({ mount, streams, limiter, lateWrites, turn }: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // The turn checks its messages: 400 MISSING_MESSAGES and LAST_MESSAGE_NOT_USER, 413.
  // Then it checks the budget, in the transaction that stores the question: 429 RATE_LIMITED.
  const handler = createStreamHandler({ [headers.promptVersion]: promptVersion }, turn);
  mount(router, 'liveChat', [handler], { capacity: streams.admitUser(limiter, lateWrites) });
  return router.all(routes.liveChat, postOnly).use(routes.liveChat, streams.releaseFailed);
}
