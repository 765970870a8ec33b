import { expect } from 'chai';
import type { Request, Response } from 'express';
import { describe, it } from 'mocha';
import { createLiveTurn, type LiveTurnOptions } from '../../../server/chat/live-turn.ts';
import { turnEnds } from '../../../server/chat/turn-end.ts';
import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import type { TextReply } from '../../../server/http/text-reply.ts';
import { errorSentence, errors, formatAppendedError } from '../../../shared/errors.ts';
import { errorEvent } from '../../support/scripted-provider.ts';
import { type AppOptions, createTestApp, type Person, question, type TestApp } from '../../support/test-app.ts';

describe('a live turn with an engagement state written by SQL', () => {
  it('uses what can be read of it, and logs the rest once, without its contents', async () => {
    await using app = await createTestApp();
    const avery = await app.person();
    await app.storage.rows(
      `update engagement_states set hypotheses = '["Changeovers limit output", {"text": "Zebra"}]'`,
    );
    for (const _turn of [1, 2]) {
      const response = await app.live(avery, question());
      expect(response.status).to.equal(200);
      await response.text();
    }
    const prompt = JSON.stringify(app.provider.requests.at(-1)?.body);
    expect(prompt).to.include('Changeovers limit output').and.not.include('Zebra');
    const logged = app.lines.filter(({ parts }) => parts !== undefined);
    expect(logged).to.have.length(1);
    expect(logged[0]).to.deep.include({ userId: avery.user.id, parts: ['hypotheses.1'] });
    expect(JSON.stringify(app.lines)).to.not.include('Zebra');
  });
});

type Sent = { app: TestApp; avery: Person; disconnect(): void };

const forever = { wait: new Promise<never>(() => undefined) };

describe('a live turn', () => {
  /** The provider's last step, and what ends the turn before the provider does. */
  const causes: Record<
    Exclude<keyof typeof turnEnds, 'clientStalled'>,
    { lastStep: ProviderStep; options?: AppOptions; act?: (sent: Sent) => unknown; loggedCause?: RegExp }
  > = {
    complete: { lastStep: { event: { type: 'ping' } } },
    clientDisconnected: { lastStep: forever, act: ({ disconnect }) => disconnect() },
    sessionEnded: {
      lastStep: forever,
      // Only the sign-out itself can end the reply.
      options: { replyWatchMilliseconds: 2 ** 31 - 1 },
      act: ({ avery }) => avery.browser.request('/auth/sign-out', { method: 'POST' }),
    },
    shuttingDown: { lastStep: forever, act: ({ app }) => app.graceEnded.abort() },
    timedOut: {
      lastStep: forever,
      options: { idleTimeoutMilliseconds: 300 },
      loggedCause: /^(?:Headers|Body)TimeoutError$/,
    },
    providerFailed: { lastStep: errorEvent('overloaded_error'), loggedCause: /^APIError$/ },
  };

  for (const [reason, { lastStep, options, act, loggedCause }] of Object.entries(causes))
    for (const text of ['', 'Half, '])
      it(`is answered, logged and stored as turnEnds specifies if it ends as ${reason} ${text === '' ? 'before' : 'after'} its first text`, async () => {
        await using app = await createTestApp(options);
        const avery = await app.person();
        app.lines.length = 0;
        app.provider.answerWith({ steps: text === '' ? [lastStep] : [{ text }, lastStep] });
        const client = new AbortController();
        const response = fetch(`${app.url}/api/chat`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Cookie: avery.cookie },
          body: JSON.stringify(question()),
          signal: client.signal,
        });
        const received = response.then(async (each) => [each.status, await each.text()]).catch(() => 'disconnected');
        const sent = await app.provider.request(1);
        if (text !== '') await response;
        await act?.({ app, avery, disconnect: () => client.abort() });

        const { beforeText, afterText, storesEmpty, ending } = turnEnds[reason as keyof typeof causes];
        const code = beforeText === 'fromProvider' ? 'UPSTREAM_OVERLOADED' : beforeText;
        if (reason === 'clientDisconnected') expect(await received).to.equal('disconnected');
        else if (text !== '') {
          expect(await received).to.deep.equal([
            200,
            text + (afterText === null ? '' : formatAppendedError(afterText)),
          ]);
        } else {
          const refusal = code && [errors[code].status, `${code}: ${errorSentence(code)}`];
          expect(await received).to.deep.equal(refusal ?? [200, '']);
        }
        await app.requests.allFinished();
        if (lastStep === forever) expect(await sent.ended).to.equal('disconnected');
        const line = app.lines.find(({ path }) => path === '/api/chat');
        expect({ ending: line?.ending, code: line?.code ?? null }).to.deep.equal({ ending, code });
        if (loggedCause !== undefined) expect(line?.err).to.have.nested.property('cause.type').match(loggedCause);
        const answers = await app.storage.rows(
          `select content, stop_reason from chat_messages where role = 'ASSISTANT'`,
        );
        const answer = { content: text, stop_reason: reason === 'complete' ? 'end_turn' : null };
        expect(answers).to.deep.equal(text !== '' || storesEmpty ? [answer] : []);
      });

  it('stores no question of a client that disconnected before the turn began', async () => {
    const turn = createLiveTurn({ budgets: {}, graceEnded: new AbortController().signal } as LiveTurnOptions);
    const reply = { isOpen: false, onCutShort: () => undefined } as unknown as TextReply;
    expect(await turn({ body: question() } as Request, {} as Response, reply)).to.equal(undefined);
  });
});

describe('a demo turn', () => {
  it('ends with the error line once the grace period of the shutdown has ended', async () => {
    await using app = await createTestApp();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, forever] });
    const reply = await app.demo(question());
    app.graceEnded.abort();
    expect(await reply.text()).to.equal(`Half, ${formatAppendedError('UPSTREAM_ERROR')}`);
  });

  it('aborts its own provider request, and no other, when its client disconnects', async () => {
    await using app = await createTestApp();
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const other = await app.demo(question());
    const abandoned = await app.demo(question());
    await abandoned.body?.cancel();
    expect(await (await app.provider.request(2)).ended).to.equal('disconnected');
    resolve();
    expect(await other.text()).to.equal('Half, whole.');
  });
});
