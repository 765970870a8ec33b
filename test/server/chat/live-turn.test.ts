import { getEventListeners } from 'node:events';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Request, Response } from 'express';
import { afterEach, describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { createLiveTurn, type LiveTurnOptions } from '../../../server/chat/live-turn.ts';
import { turnEnds } from '../../../server/chat/turn-end.ts';
import type { OpenedTurn } from '../../../server/database/serving/turns.ts';
import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import type { TextReply } from '../../../server/http/text-reply.ts';
import { errorSentence, errors, formatAppendedError } from '../../../shared/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { errorEvent } from '../../support/scripted-provider.ts';
import { createSilentReader } from '../../support/silent-reader.ts';
import { type AppOptions, createTestApp, post, question, type TestApp } from '../../support/test-app.ts';

describe('a live turn with fake dependencies', () => {
  /** Starts a turn whose question cannot be stored, unless there are `facts`. */
  function startTurn({
    isOpen = true,
    catchUp = async () => undefined,
    attempts = 1,
    facts,
    hasBudget = false,
  }: {
    isOpen?: boolean;
    catchUp?: () => unknown;
    attempts?: number;
    facts?: OpenedTurn['facts'];
    hasBudget?: boolean;
  }) {
    const draining = new AbortController();
    let disconnect = () => {};
    const calls = {
      open: 0,
      order: [] as string[],
      signals: [] as readonly AbortSignal[],
      prompts: [] as unknown[],
      settled: [] as unknown[],
    };
    const parts = {
      budgets: hasBudget ? { user: 1 } : {},
      turns: {
        async open() {
          calls.open += 1;
          calls.order.push('open');
          if (facts === undefined) throw new AppError('UPSTREAM_OVERLOADED');
          return { conversationId: 'a-conversation', facts };
        },
        openWithinBudgets() {
          return this.open();
        },
        async settle(_scope: unknown, { tokens }: { tokens: number }) {
          calls.settled.push(tokens);
        },
      },
      outage: {
        async retry(attempt: () => Promise<unknown>, signals: readonly AbortSignal[]) {
          calls.signals = signals;
          for (let failed = 1; failed < attempts; failed += 1) await attempt().catch(() => undefined);
          return attempt();
        },
      },
      lateWrites: {
        catchUp() {
          calls.order.push('catchUp');
          return catchUp();
        },
        write: ({ job }: { job: () => Promise<void> }) => job(),
      },
      model: {
        start({ prompt }: { prompt: unknown }) {
          calls.prompts.push(prompt);
          throw new AppError('UPSTREAM_OVERLOADED');
        },
      },
      draining: draining.signal,
      graceEnded: new AbortController().signal,
    };
    const context = {
      user: { id: 'a-user', organization: { id: 'an-organization' } },
      ids: { requestId: 'mine' },
      addToLog: () => undefined,
    };
    const ended = createLiveTurn(parts as unknown as LiveTurnOptions)(
      { body: question() } as Request,
      { locals: { context }, headersSent: true } as unknown as Response,
      {
        isOpen,
        onCutShort: (listener: (reason: 'clientDisconnected') => void) => {
          disconnect = () => listener('clientDisconnected');
        },
      } as unknown as TextReply,
    ).catch((error: unknown) => error);
    return { calls, draining, disconnect: () => disconnect(), ended };
  }

  it('stores its question only once the pending answer of the previous turn is stored', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { calls, ended } = startTurn({ catchUp: () => promise });
    await setImmediate();
    expect(calls.open).to.equal(0);
    resolve();
    expect(await ended).to.include({ code: 'UPSTREAM_OVERLOADED' });
    expect(calls.open).to.equal(1);
  });

  it('waits for a pending answer before each attempt to store its question', async () => {
    const { calls, ended } = startTurn({ attempts: 2 });
    await ended;
    expect(calls.order).to.deep.equal(['catchUp', 'open', 'catchUp', 'open']);
  });

  it('has the current date in its prompt, regardless of when the process started', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.parse('2032-02-29T23:59:59Z') });
    try {
      const facts = { organization: {}, user: { name: 'Avery' }, engagement: null } as OpenedTurn['facts'];
      const { calls, ended } = startTurn({ facts });
      expect(await ended).to.include({ code: 'UPSTREAM_OVERLOADED' });
      expect(JSON.stringify(calls.prompts)).to.include('2032-02-29');
    } finally {
      mock.timers.reset();
    }
  });

  it('settles its reservation if it fails before the provider is asked', async () => {
    const facts = { organization: {}, user: { name: 'Avery' }, engagement: null } as OpenedTurn['facts'];
    const { calls, ended } = startTurn({ facts, hasBudget: true });
    expect(await ended).to.include({ code: 'UPSTREAM_OVERLOADED' });
    expect(calls.settled).to.have.length(1);
  });

  it('stores no question of a client that has disconnected', async () => {
    const { calls, ended } = startTurn({ isOpen: false });
    expect(await ended).to.equal(undefined);
    expect(calls.open).to.equal(0);
  });

  for (const [title, act] of [
    ['the shutdown begins', ({ draining }) => draining.abort()],
    ['its client disconnects', ({ disconnect }) => disconnect()],
  ] as [string, (turn: ReturnType<typeof startTurn>) => void][]) {
    it(`stops waiting for the database when ${title}`, async () => {
      const turn = startTurn({});
      await turn.ended;
      const isWaitOver = () => turn.calls.signals.some(({ aborted }) => aborted);
      expect(isWaitOver()).to.equal(false);
      act(turn);
      expect(isWaitOver()).to.equal(true);
    });
  }
});

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

type Person = Awaited<ReturnType<TestApp['person']>>;
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
      it(`that ends as ${reason} ${text === '' ? 'before' : 'after'} its first text is answered, logged and stored as turnEnds specifies`, async () => {
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
        await (text === '' ? app.provider.request(1) : response);
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
        const line = app.lines.find(({ path }) => path === '/api/chat');
        expect({ ending: line?.ending, code: line?.code ?? null }).to.deep.equal({ ending, code });
        if (loggedCause !== undefined) expect(line?.err).to.have.nested.property('cause.type').match(loggedCause);
        const answers = await app.storage.rows(
          `select content, stop_reason from chat_messages where role = 'ASSISTANT'`,
        );
        const answer = { content: text, stop_reason: reason === 'complete' ? 'end_turn' : null };
        expect(answers).to.deep.equal(text !== '' || storesEmpty ? [answer] : []);
      });

  it('that ends as clientStalled is logged and stored as turnEnds specifies', async () => {
    await using app = await createTestApp();
    const avery = await app.person();
    app.lines.length = 0;
    app.provider.answerWith({ steps: [{ text: 'Half, ' }, forever] });
    const { connection } = createSilentReader(app.server, '/api/chat', question(), { Cookie: avery.cookie });
    await eventually(() => (connection.writableLength > 0 ? true : undefined));
    connection.emit('timeout');
    expect(connection.destroyed).to.equal(true);
    await app.requests.allFinished();
    const { ending } = turnEnds.clientStalled;
    expect(app.lines.find(({ path }) => path === '/api/chat'))
      .to.include({ ending })
      .and.not.have.property('code');
    const answers = await app.storage.rows(`select content from chat_messages where role = 'ASSISTANT'`);
    expect(answers).to.deep.equal([{ content: 'Half, ' }]);
  });
});

describe('a turn', () => {
  const app = perSuite(() => createTestApp());
  const avery = perSuite(() => app.person());
  afterEach(() => app.provider.reset());

  const half = { text: 'Half, ' };
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

  it('of demo chat ends with the error line once the grace period of the shutdown has ended', async () => {
    await using stopping = await createTestApp({ shared: app });
    stopping.provider.answerWith({ steps: [half, forever] });
    const reply = await stopping.demo(question());
    stopping.graceEnded.abort();
    expect(await reply.text()).to.equal(`Half, ${formatAppendedError('UPSTREAM_ERROR')}`);
  });

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
