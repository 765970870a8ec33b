import { focusManager, MutationObserver, onlineManager, type QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createQueryClient } from '../../../client/session/query-client.ts';
import { Refused, sessionQuery } from '../../../client/session/session.ts';
import { type Ask, turnMutation, turnsKey } from '../../../client/turns/turn-mutation.ts';
import { fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { isRetrying, until } from '../../../client-package/testing/until.ts';
import { type Harness, startHarness } from '../chat/conversation-harness.ts';

describe('A turn that is asked through TanStack Query', () => {
  let harness: Harness;
  let queryClient: QueryClient;

  beforeEach(async () => {
    harness = await startHarness();
    queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, { user: null, providers: [] });
  });

  afterEach(async () => {
    focusManager.setFocused(undefined);
    onlineManager.setOnline(true);
    queryClient.clear();
    await harness.backend.close();
  });

  const asked = (ask: Ask) => new MutationObserver(queryClient, turnMutation('one')).mutate(ask);
  const running = () =>
    queryClient
      .getMutationCache()
      .findAll({ mutationKey: turnsKey, status: 'pending' })
      .map(({ options }) => options.mutationKey?.at(-1));
  const isSessionDoubted = () => queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated;

  it('runs, under the id of its conversation, until it has ended, the waits between its attempts included', async () => {
    const { backend, clock, conversation } = harness;
    backend.answer(fails('UPSTREAM_OVERLOADED'), replies('Week 3.'));
    const outcome = asked(() => conversation.send('Where do we stand?'));
    await until(conversation, isRetrying);
    expect(running()).to.deep.equal(['one']);
    await clock.advance(1000);
    expect(await outcome).to.deep.equal({ type: 'done' });
    expect(running()).to.deep.equal([]);
  });

  it('keeps to the retry table though TanStack Query takes the page for unfocused and offline', async () => {
    const { backend, clock, conversation } = harness;
    focusManager.setFocused(false);
    onlineManager.setOnline(false);
    backend.answer(fails('UPSTREAM_OVERLOADED'), fails('UPSTREAM_OVERLOADED'), fails('UPSTREAM_AUTH'));
    const outcome = asked(() => conversation.send('Where do we stand?'));
    for (const seconds of [1, 2]) {
      const { phase } = await until(conversation, isRetrying);
      await clock.advance(seconds * 1000 - 1);
      expect(conversation.getState().phase).to.equal(phase);
      await clock.advance(1);
      await until(conversation, (state) => state.phase !== phase);
    }
    expect(await outcome).to.include({ type: 'failed', code: 'UPSTREAM_AUTH' });
    expect(backend.requests).to.have.length(3);
  });

  it('is asked once, and again only by the table, whatever it fails with', async () => {
    const { backend, conversation } = harness;
    backend.answer(fails('INTERNAL'));
    expect(await asked(() => conversation.send('Where do we stand?'))).to.include({ type: 'failed', code: 'INTERNAL' });
    expect(backend.requests).to.have.length(1);
    expect(isSessionDoubted()).to.equal(false);
  });

  for (const code of ['UNAUTHENTICATED', 'NOT_ONBOARDED'] as const) {
    it(`fails on ${code}, and the session is to be read anew`, async () => {
      const { backend, conversation } = harness;
      backend.answer(fails(code));
      const failed = asked(() => conversation.send('Where do we stand?')).catch((error: unknown) => error);
      expect(await failed).to.be.instanceOf(Refused);
      expect(isSessionDoubted()).to.equal(true);
      expect(conversation.composer.getState()).to.include({ draft: 'Where do we stand?', wasRefused: true });
    });
  }

  it('comes to nothing where nothing is sent', async () => {
    const { backend, conversation } = harness;
    expect(await asked(() => conversation.send(' '))).to.equal(null);
    expect(await asked(conversation.tryAgain)).to.equal(null);
    expect(await asked(conversation.regenerate)).to.equal(null);
    expect(backend.requests).to.have.length(0);
  });
});
