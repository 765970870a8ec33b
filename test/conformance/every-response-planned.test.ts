import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { ofSuite } from '../support/of-suite.ts';
import { createTestApp, exampleOnboarding, question } from '../support/test-app.ts';
import { builtPage, createBuiltClient } from './support/built-client.ts';
import { type Answer, json, send } from './support/send.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe('Every response', () => {
  let planned: string[];
  /** Header lines of nobody, a newcomer and an onboarded user with a conversation. */
  let visitors: string[][];

  const client = ofSuite(() => createBuiltClient());
  const app = ofSuite(() => createTestApp({ pages: client.pages }));
  before(async () => {
    const newcomer = await app.person({ who: 'blake@example.com', onboarded: false });
    const avery = await app.person();
    const turn = await app.live(avery, question());
    await turn.text();
    const conversation = `/api/conversations/${turn.headers.get('x-conversation-id')}`;
    planned = [
      '/api/conversations',
      `${conversation}/messages`,
      `${conversation}/archive`,
      '/api/engagement',
      '/api/onboarding',
    ];
    visitors = [[], [`Cookie: ${newcomer.cookie}`], [`Cookie: ${avery.cookie}`]];
  });

  function expectNothing(answer: Answer, what: string): void {
    expect(answer.status, what).to.equal(404);
    expect(answer.valuesOf('content-type'), what).to.deep.equal(['text/plain; charset=utf-8']);
    expect(answer.body, what).to.equal(what.startsWith('HEAD') ? '' : 'There is nothing at this address.\n');
  }

  it('25 Each of the five planned routes is 404, with any method and any session', async () => {
    for (const path of planned) {
      for (const method of methods) {
        for (const visitor of visitors) {
          const body = method === 'POST' ? JSON.stringify(exampleOnboarding) : '';
          expectNothing(await send(app.url, `${method} ${path}`, [...visitor, json], body), `${method} ${path}`);
        }
      }
    }
  });

  it('26 A planned route is 404 with a trailing slash, in other case and encoded too', async () => {
    const variants = [
      (path: string) => `${path}/`,
      (path: string) => path.toUpperCase(),
      (path: string) => path.replace('/api', '/Api'),
      (path: string) => path.replace(/api\/(.)/, (_, letter) => `api/%${letter.charCodeAt(0).toString(16)}`),
      (path: string) => path.replace('/api/', '/%61pi/'),
      (path: string) => path.replace('/api/', '/api%2F'),
      (path: string) => path.replace('/api/', '/api//'),
      (path: string) => `/${path}`,
      (path: string) => `${path}?limit=1`,
    ];
    for (const path of planned) {
      for (const variant of variants) {
        for (const method of ['GET', 'POST']) {
          for (const visitor of visitors) {
            const requestLine = `${method} ${variant(path)}`;
            expectNothing(
              await send(app.url, requestLine, [...visitor, json], method === 'POST' ? '{}' : ''),
              requestLine,
            );
          }
        }
      }
    }
  });

  it('27 A planned route is never 401, and never the page of the SPA', async () => {
    const navigation = [
      'Accept: text/html,application/xhtml+xml',
      'Sec-Fetch-Dest: document',
      'Sec-Fetch-Mode: navigate',
    ];
    for (const path of planned) {
      for (const visitor of [...visitors, ['Cookie: advisory-chat=garbage'], ['Authorization: Bearer garbage']]) {
        expectNothing(await send(app.url, `GET ${path}`, [...visitor, ...navigation]), `GET ${path}`);
      }
    }
  });

  it('28 GET /api/chat is 405', async () => {
    for (const visitor of visitors) {
      for (const method of methods.filter((each) => each !== 'POST')) {
        const answer = await send(app.url, `${method} /api/chat`, [...visitor, 'Accept: text/html']);
        expect(answer.status, method).to.equal(405);
        expect(answer.valuesOf('allow')).to.deep.equal(['POST']);
        expect(answer.valuesOf('content-type')).to.deep.equal(['text/plain; charset=utf-8']);
        expect(answer.body).to.equal(method === 'HEAD' ? '' : 'This address takes POST only.\n');
      }
    }
  });

  it('29 Any other path under /api/ is 404', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nowhere',
      '/api/chat/',
      '/api/Chat',
      '/api/chat/demo/',
      '/api/chat/demo/x',
    ]) {
      for (const method of methods) {
        for (const visitor of visitors) {
          const requestLine = `${method} ${path}`;
          expectNothing(await send(app.url, requestLine, [...visitor, 'Accept: text/html']), requestLine);
        }
      }
    }
  });

  it('30 /onboarding is the page of the SPA', async () => {
    for (const visitor of visitors) {
      const page = await send(app.url, 'GET /onboarding', visitor);
      expect(page.status).to.equal(200);
      expect(page.valuesOf('content-type')).to.deep.equal(['text/html; charset=utf-8']);
      expect(page.body).to.equal(builtPage);
    }
  });
});
