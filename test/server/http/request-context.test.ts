import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { assignContext } from '../../../server/http/request-context.ts';

describe('the context of a request', () => {
  it('logs the first failure of the request, not one that follows from it', () => {
    const request = { headers: {} } as IncomingMessage;
    const response = Object.assign(new EventEmitter(), { setHeader: () => undefined }) as unknown as ServerResponse;
    const { context } = assignContext(request, response, pino({ level: 'silent' })).locals;
    const cause = new Error('The cause.');
    context.addToLog({ code: 'UPSTREAM_ERROR', err: cause });
    context.addToLog({ code: 'INTERNAL', err: new Error('The consequence.'), ending: 'failed' });
    expect(context.logFields).to.deep.equal({ code: 'UPSTREAM_ERROR', err: cause, ending: 'failed' });
  });
});
