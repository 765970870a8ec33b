import { MutationObserver, type QueryClient, QueryClientProvider, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createElement, type FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { IntlProvider } from 'use-intl/react';
import { Router, type SsrContext } from 'wouter';
import { messages } from '../../client/language/messages/en.ts';
import { createQueryClient } from '../../client/session/query-client.ts';
import { sessionQuery } from '../../client/session/session.ts';
import { turnMutation } from '../../client/turns/use-turn.ts';
import { pages, routes } from '../../shared/interface.ts';
import { eventually } from '../support/eventually.ts';
import { importClient } from '../support/import-client.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp } from '../support/test-app.ts';
import { createChatClient, withCookie } from './support/chat-client.ts';

const components = {
  [pages.chat]: { file: 'pages/live-chat/chat-page.tsx', name: 'ChatPage' },
  [pages.onboarding]: { file: 'pages/onboarding-page.tsx', name: 'OnboardingPage' },
};

/** Server-side rendering suffices for the redirect; the pages themselves need a browser. */
async function redirectOf(path: keyof typeof components, queryClient: QueryClient): Promise<string | undefined> {
  const { file, name } = components[path];
  const { [name]: Page } = await importClient<Record<string, FunctionComponent>>(file);
  if (Page === undefined) throw new Error(`${file} has no ${name}.`);
  const context: SsrContext = {};
  const route = { ssrPath: path, ssrContext: context, children: createElement(Page) };
  const page = createElement(QueryClientProvider, { client: queryClient }, createElement(Router, route));
  const inEnglish = { locale: 'en', messages, timeZone: 'UTC', children: page };
  renderToString(createElement(IntlProvider, inEnglish));
  return context.redirectTo;
}

const { fetch } = globalThis;

describe('Live chat: access', () => {
  const queryClient = createQueryClient();

  afterEach(() => {
    globalThis.fetch = fetch;
    queryClient.clear();
  });

  it('44 On 403 NOT_ONBOARDED, the SPA navigates to /onboarding', async () => {
    await using app = await createTestApp();
    const { cookie, user } = await app.person();
    const { conversation, statuses } = createChatClient({ url: app.url + routes.liveChat, cookie });
    // Node, unlike a browser, neither resolves relative URLs nor sends the cookie by itself.
    globalThis.fetch = (target, init) => fetch(new URL(String(target), app.url), withCookie(init, cookie));

    const session = new QueryObserver(queryClient, sessionQuery);
    const unsubscribe = session.subscribe(() => {});
    await eventually(() => session.getCurrentResult().data);
    expect(await redirectOf(pages.onboarding, queryClient), 'while they are onboarded').to.equal('/chat');

    const turn = new MutationObserver(queryClient, turnMutation);
    await turn.mutate(() => conversation.send('Where do we stand?'));
    expect(conversation.getState().turns.at(-1)?.reply).to.equal(defaultReply.text);

    await app.storage.administration.setOnboarded(user.id, false);
    await turn.mutate(() => conversation.send('And now?')).catch(() => undefined);
    expect(statuses).to.deep.equal([200, 403]);
    expect(conversation.getState().draft.text, 'kept for the return').to.equal('And now?');
    await eventually(() => (session.getCurrentResult().data?.user?.onboarded ? undefined : true));
    expect(await redirectOf(pages.chat, queryClient)).to.equal('/onboarding');
    unsubscribe();
  });
});
