import type { Response } from 'express';
import { AppError } from '../app-error.ts';
import type { Wait } from '../database/outage.ts';
import type { StreamCeiling } from './stream-ceiling.ts';

type Options = { streams: Pick<StreamCeiling, 'admitWaiting'>; draining: AbortSignal };

/**
 * How a turn of live chat waits for a database that has just gone: in one of the places of `streams`, until its client
 * leaves or the process takes no more requests. Then it is refused as an overload, which clients send again, to another
 * instance: nothing of it is stored.
 */
export function createDatabaseWait({ streams, draining }: Options): (response: Response) => Wait {
  return (response) => () => {
    streams.admitWaiting(response);
    const ended = new AbortController();
    const end = () => ended.abort(new AppError('UPSTREAM_OVERLOADED'));
    response.on('close', end);
    draining.addEventListener('abort', end);
    if (response.destroyed || draining.aborted) end();
    return {
      ended: ended.signal,
      [Symbol.dispose]() {
        response.off('close', end);
        draining.removeEventListener('abort', end);
      },
    };
  };
}
