import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { streamReply } from '../../../server/chat/reply.ts';
import type { TextReply } from '../../../server/http/text-reply.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp, post, question } from '../../support/test-app.ts';
import { request } from '../model/ask.ts';

describe('streamReply', () => {
  it('aborts the request to the provider if the session has already ended', async () => {
    const reply: TextReply = {
      interrupted: new AbortController().signal,
      isOpen: true,
      hasStarted: false,
      write() {},
      end() {},
    };
    const ended = AbortSignal.abort(new AppError('UNAUTHENTICATED'));
    let isAborted: boolean | undefined;
    const model: Parameters<typeof streamReply>[0] = {
      async reply(_request, _onText, signal) {
        isAborted = signal.aborted;
        const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreateTokens: 0 };
        const known = { usage, streamedBytes: 0, stopReason: null, model: 'test', providerRequestId: null };
        return { ...known, ending: 'aborted', error: null };
      },
      close: async () => undefined,
    };
    const { error } = await streamReply(model, request, reply, [ended]);
    expect(isAborted).to.equal(true);
    expect(error).to.include({ code: 'UNAUTHENTICATED' });
  });
});

describe('a turn', () => {
  const app = perSuite(() => createTestApp());
  const avery = perSuite(() => app.person());
  afterEach(() => app.provider.reset());

  const half = { text: 'Half, ' };
  const forever = { wait: new Promise<never>(() => undefined) };
  const listeners = () => [app.draining, app.graceEnded].map(({ signal }) => getEventListeners(signal, 'abort').length);
  const untilFinished = () => eventually(() => (app.streams.inFlight === 0 ? true : undefined));

  for (const [route, path] of [
    ['live', '/api/chat'],
    ['demo', '/api/chat/demo'],
  ] as const) {
    const ask = () => post(app.url + path, question(), { Cookie: avery.cookie });

    for (const [ending, answer] of [
      ['is complete', { steps: [half, { text: 'whole.' }] }],
      ['fails before its first text', { refuse: { status: 529, type: 'overloaded_error', message: 'Overloaded' } }],
      ['fails after its first text', { steps: [half, { cut: true }] }],
    ] as const) {
      it(`of ${route} chat that ${ending} leaves no listener on the signals of the shutdown`, async () => {
        const before = listeners();
        app.provider.answerWith(answer);
        await (await ask()).text();
        await untilFinished();
        expect(listeners()).to.deep.equal(before);
      });
    }

    it(`of ${route} chat whose client disconnects leaves no listener on the signals of the shutdown`, async () => {
      const before = listeners();
      app.provider.answerWith({ steps: [half, forever] });
      const reply = await ask();
      expect(listeners()).not.to.deep.equal(before);
      await reply.body?.cancel();
      await untilFinished();
      expect(listeners()).to.deep.equal(before);
    });
  }

  it('whose user signs out leaves no listener on the signals of the shutdown', async () => {
    const before = listeners();
    app.provider.answerWith({ steps: [half, forever] });
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    const reply = await app.live(casey, question());
    await casey.browser.request('/auth/sign-out', { method: 'POST' });
    await reply.text();
    await untilFinished();
    expect(listeners()).to.deep.equal(before);
  });
});
