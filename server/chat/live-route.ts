import { type RequestHandler, Router } from 'express';
import { headers, promptVersion, routes } from '../../shared/interface.ts';
import { postOnly } from '../http/errors.ts';
import type { BodyHandlers } from '../http/json-body.ts';
import type { CountAgainst } from '../http/request-limit.ts';
import { streamsText, type TextHandler } from '../http/text-reply.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { LateWrites } from './late-writes.ts';
import type { StreamLimit } from './stream-limit.ts';

type Options = {
  /** The first two checks, passed in because features do not import each other. */
  session: readonly RequestHandler[];
  onboarded: RequestHandler;
  streams: StreamLimit;
  limiter: Limiter;
  lateWrites: LateWrites;
  body: BodyHandlers;
  countAgainst: CountAgainst;
  turn: TextHandler;
};

/** `POST /api/chat`: one turn of a signed-in user, conditioned on their engagement, streamed and stored. */
export function createLiveRoute(options: Options): Router {
  const { session, onboarded, streams, limiter, lateWrites, body, countAgainst, turn } = options;

  /** Order matters: the first check that fails determines the response. */
  const checks = [
    ...session, // 401 UNAUTHENTICATED
    onboarded, // 403 NOT_ONBOARDED
    streams.admitUser(limiter, lateWrites), // 503 UPSTREAM_OVERLOADED
    body.admit, // 503 UPSTREAM_OVERLOADED
    countAgainst('live'), // 429 RATE_LIMITED
    body.parseJson, // 400 INVALID_JSON, 408, 413, 503
    // The turn checks its messages: 400 MISSING_MESSAGES and LAST_MESSAGE_NOT_USER, 413.
    // Then it checks the budget, in the transaction that stores the question: 429 RATE_LIMITED.
  ];

  return Router({ caseSensitive: true, strict: true })
    .post(routes.liveChat, ...checks, streamsText({ [headers.promptVersion]: promptVersion }, turn))
    .all(routes.liveChat, postOnly)
    .use(routes.liveChat, streams.releaseFailed);
}
