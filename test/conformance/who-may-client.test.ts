import { MutationObserver, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createQueryClient } from '../../client/session/query-client.ts';
import { sessionQuery } from '../../client/session/session.ts';
import { turnMutation } from '../../client/turns/turn-mutation.ts';
import { pages, routes } from '../../shared/interface.ts';
import { eventually } from '../support/eventually.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp } from '../support/test-app.ts';
import { createChatClient, withCookie } from './support/chat-client.ts';
import { redirectOf } from './support/spa-redirect.ts';

const { fetch } = globalThis;

describe('Live chat: who may', () => {
  const queryClient = createQueryClient();

  afterEach(() => {
    globalThis.fetch = fetch;
    queryClient.clear();
  });

  it('44 On 403 NOT_ONBOARDED the SPA goes to /onboarding', async () => {
    await using app = await createTestApp();
    const { cookie, user } = await app.person();
    const { conversation, statuses } = createChatClient({ url: app.url + routes.liveChat, cookie });
    // A page's addresses are relative to its own, and its cookie goes along by itself.
    globalThis.fetch = (target, init) => fetch(new URL(String(target), app.url), withCookie(init, cookie));

    const session = new QueryObserver(queryClient, sessionQuery);
    const unsubscribe = session.subscribe(() => {});
    await eventually(() => session.getCurrentResult().data);
    expect(await redirectOf(pages.onboarding, queryClient), 'while they are onboarded').to.equal('/chat');

    const turn = new MutationObserver(queryClient, turnMutation('conversation'));
    await turn.mutate(() => conversation.send('Where do we stand?'));
    expect(conversation.getState().turns.at(-1)?.reply).to.equal(defaultReply.text);

    await app.storage.administration.setOnboarded(user.id, false);
    await turn.mutate(() => conversation.send('And now?')).catch(() => undefined);
    expect(statuses).to.deep.equal([200, 403]);
    expect(conversation.getState().draft, 'for the return').to.equal('And now?');
    await eventually(() => (session.getCurrentResult().data?.user?.onboarded ? undefined : true));
    expect(await redirectOf(pages.chat, queryClient)).to.equal('/onboarding');
    unsubscribe();
  });
});
