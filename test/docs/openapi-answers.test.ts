import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withDescribedAnswers } from '../support/described-answers.ts';
import { operationFor, undescribedIn } from './openapi-answers.ts';

describe('An answer in any test', () => {
  const undescribed = (status: number, headers: Record<string, string>) => {
    const operation = operationFor('GET', '/healthz');
    return operation && undescribedIn(operation, { status, headers: new Map(Object.entries(headers)) });
  };
  const described = {
    'x-request-id': 'one',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  };

  it('is not with another status, another header, one too few, another content type or another charset', () => {
    const { 'cache-control': _, ...withoutOne } = described;
    expect(undescribed(418, described)).to.equal('the status 418');
    expect(undescribed(200, { ...described, 'x-more': '1' })).to.equal('200 with x-more');
    expect(undescribed(200, withoutOne)).to.equal('200 without cache-control');
    for (const type of ['text/plain; charset=utf-8', 'application/json', 'application/json; charset=latin1']) {
      expect(undescribed(200, { ...described, 'content-type': type })).to.equal(`200 as ${type}`);
    }
  });

  it('fails the test where it is not described', () => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/healthz?a=b' });
    const response = new ServerResponse(request);
    withDescribedAnswers((_request, { writeHead }) => writeHead.call(response, 418))(request, response);
    expect(() => response.emit('finish')).to.throw('docs/openapi.yaml does not describe GET /healthz: the status 418.');
  });
});
