import type { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement } from 'react';
import { createStoredCooldown } from '../../../client/chat/cooldown.ts';
import { deviceKeys, markConversationsRetained } from '../../../client/device/device-storage.ts';
import { messages } from '../../../client/language/messages/en.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import { deleteLastProvider, storeLastProvider } from '../../../client/session/sign-in.ts';
import { pages } from '../../../shared/interface.ts';
import { providerLabels, type Session, signInProblems } from '../../../shared/session.ts';
import { sessionOf } from '../session/sessions.ts';
import { client, controlsIn, type PageOptions, renderPage, textOf } from '../ui/rendered-page.ts';

const { demo, signIn, session: words, page: loading, commands, notFound, limit } = messages;
const signedOut: Session = { user: null, providers: ['google', 'github', 'microsoft'] };
const newcomer = sessionOf('avery', { onboarded: false });
const user = sessionOf('avery');

function failSession(queryClient: QueryClient, error: Error): void {
  const query = queryClient.getQueryCache().build(queryClient, { queryKey: [...sessionQuery.queryKey] });
  query.setState({ status: 'error', error });
}

describe('The sign-in page', () => {
  const visit = (options: PageOptions = {}) =>
    renderPage(createElement(client.SignInPage), { path: pages.signIn, session: signedOut, ...options });
  const textFor = (options: PageOptions) => textOf(visit(options).html);

  it('links to each provider that the service offers, with the page to return to', () => {
    const providers = (options: PageOptions) =>
      controlsIn(visit(options).html).filter(({ href }) => href?.startsWith('/auth/'));
    expect(providers({ search: 'returnTo=/c/4f7c2a0e' }).map(({ name, href }) => [name, href])).to.deep.equal([
      ['Continue with Google', '/auth/google?returnTo=%2Fc%2F4f7c2a0e&amp;prompt=select_account'],
      ['Continue with GitHub', '/auth/github?returnTo=%2Fc%2F4f7c2a0e&amp;prompt=select_account'],
      ['Continue with Microsoft', '/auth/microsoft?returnTo=%2Fc%2F4f7c2a0e&amp;prompt=select_account'],
    ]);
    expect(providers({ session: { user: null, providers: ['github'] } }).map(({ name }) => name)).to.deep.equal([
      'Continue with GitHub',
    ]);
    expect(textFor({ session: { user: null, providers: [] } })).to.include(signIn.noProvider);
    expect(textFor({})).to.not.include(signIn.noProvider);
  });

  for (const [title, chooses, options] of [
    ['at a sign-in after a session has ended', false, {}],
    ['after a sign-out that keeps the conversations', true, { prepare: () => markConversationsRetained('avery') }],
    ['on a device that knows no provider, as after other sign-outs', true, { prepare: deleteLastProvider }],
    ['after a refusal of the account', true, { search: 'problem=uninvited' }],
    ['after a failure of the provider', false, { search: 'problem=unavailable' }],
  ] as const) {
    it(`${chooses ? 'makes' : 'does not make'} the provider ask which account to use ${title}`, () => {
      const { prepare, ...others }: PageOptions = options;
      const prepareDevice: PageOptions['prepare'] = (page) => {
        storeLastProvider('google');
        prepare?.(page);
      };
      const { html } = visit({ hasStorage: true, prepare: prepareDevice, ...others });
      const links = controlsIn(html).filter(({ href }) => href?.startsWith('/auth/'));
      expect(links).not.to.be.empty;
      for (const { href } of links) expect(href?.endsWith('prompt=select_account')).to.equal(chooses);
    });
  }

  it('marks the provider that was used last', () => {
    for (const last of signedOut.providers) {
      const { html } = visit({ hasStorage: true, prepare: () => storeLastProvider(last) });
      const marked = controlsIn(html).filter(({ name }) => name.endsWith(signIn.lastUsed));
      expect(marked.map(({ name }) => name)).to.deep.equal([
        `Continue with ${providerLabels[last]} ${signIn.lastUsed}`,
      ]);
    }
  });

  for (const name of Object.keys(signInProblems) as (keyof typeof signInProblems)[]) {
    it(`explains the failure “${name}”`, () => {
      const sentences = Object.values(messages.signInProblems);
      const text = textFor({ search: `problem=${name}` });
      expect(sentences.filter((sentence) => text.includes(sentence))).to.deep.equal([messages.signInProblems[name]]);
    });
  }

  it('ignores an unknown failure, and says that cookies are required if the browser does not accept them', () => {
    const sentences = Object.values(messages.signInProblems);
    const explained = (options: PageOptions) => sentences.filter((sentence) => textFor(options).includes(sentence));
    expect(explained({ search: 'problem=toString' })).to.deep.equal([]);
    expect(explained({ search: '' })).to.deep.equal([]);
    expect(explained({ hasCookies: false })).to.deep.equal([messages.signInProblems.cookies]);
    expect(explained({ hasCookies: false, search: 'problem=expired' })).to.deep.equal([
      messages.signInProblems.expired,
    ]);
  });

  it('says whether conversations were kept on this device, and whether the session has ended', () => {
    expect(textFor({ hasStorage: true }))
      .to.not.include(signIn.kept)
      .and.not.include(signIn.sessionEnded);
    expect(textFor({ hasStorage: true, prepare: () => markConversationsRetained('avery') })).to.include(signIn.kept);
    const prepare: PageOptions['prepare'] = ({ queryClient }) => {
      queryClient.setQueryData(sessionQuery.queryKey, { ...signedOut, hasEnded: true });
    };
    expect(textFor({ prepare })).to.include(signIn.sessionEnded);
  });

  it('redirects a signed-in user to onboarding or to the page that required the sign-in', () => {
    const search = 'returnTo=/c/4f7c2a0e';
    expect(visit({ search, session: user }).redirect).to.equal('/c/4f7c2a0e');
    expect(visit({ search, session: newcomer }).redirect).to.equal(pages.onboarding);
    expect(visit({ search }).redirect).to.equal(undefined);
  });

  it('removes an invitation from its URL', () => {
    expect(visit({ search: 'returnTo=/chat&invitation=secret' }).redirect).to.equal('/sign-in?returnTo=%2Fchat');
  });

  describe('while the session is unknown', () => {
    it('says at first that it is loading', () => {
      expect(textFor({ session: undefined })).to.include(loading.loading);
    });

    for (const [title, error, heading] of [
      ['cannot be reached', new TypeError(), words.unreachable],
      ['has problems', new Error('503'), words.trouble],
    ] as const) {
      it(`says that the service ${title}, and offers to try again`, () => {
        const { html } = visit({ session: undefined, prepare: ({ queryClient }) => failSession(queryClient, error) });
        expect(textOf(html)).to.include(`${heading} ${words.unknown}`);
        expect(controlsIn(html).map(({ name }) => name)).to.include(commands.tryAgain);
      });
    }
  });
});

describe('The onboarding page', () => {
  const redirectFor = (session: Session, search = '') =>
    renderPage(createElement(client.OnboardingPage), { path: pages.onboarding, session, search }).redirect;

  it('redirects a visitor to the sign-in, and an onboarded user to the page that required the sign-in', () => {
    expect(redirectFor(signedOut)).to.equal('/sign-in?returnTo=/onboarding');
    expect(redirectFor(user)).to.equal(pages.chat);
    expect(redirectFor(user, 'returnTo=/c/4f7c2a0e')).to.equal('/c/4f7c2a0e');
    expect(redirectFor(user, 'returnTo=/onboarding')).to.equal(pages.chat);
    expect(redirectFor(newcomer)).to.equal(undefined);
  });
});

describe('The demo', () => {
  const visit = (options: PageOptions) =>
    renderPage(createElement(client.DemoPage), { hasStorage: true, ...options }).html;

  it('says that the company is fictional, and suggests questions', () => {
    const html = visit({ session: signedOut });
    expect(textOf(html)).to.include('fictional company').and.include(demo.heading).and.include(demo.footnote);
    const suggestions: string[] = [demo.status, demo.hypotheses, demo.unknowns, demo.questions];
    const offered = controlsIn(html).filter(({ name }) => suggestions.includes(name));
    expect(offered.map(({ name, isDisabled }) => [name, isDisabled])).to.deep.equal(
      suggestions.map((suggestion) => [suggestion, false]),
    );
  });

  for (const [title, session, name, href] of [
    ['a visitor to the sign-in', signedOut, demo.signIn, '/sign-in?returnTo=/chat'],
    ['a user to their engagement', user, demo.yourEngagement, pages.chat],
  ] as const) {
    it(`leads ${title}`, () => {
      const links = controlsIn(visit({ session })).filter((control) => control.href?.endsWith(pages.chat));
      const own = links.filter((link) => link.name !== 'Advisory Chat');
      expect(own.map((link) => [link.name, link.href])).to.deep.equal([
        [name, href],
        [demo.ownEngagement, href],
      ]);
    });
  }

  it('disables its suggested questions and gives the reason once the limit is reached', () => {
    const prepare: PageOptions['prepare'] = ({ localStorage }) =>
      createStoredCooldown(localStorage, deviceKeys.demoBlockedUntil).save(60);
    const html = visit({ session: signedOut, prepare });
    expect(controlsIn(html).find(({ name }) => name === demo.status)?.isDisabled).to.equal(true);
    expect(textOf(html)).to.include(limit.demo);
  });
});

describe('The page of an unknown address', () => {
  const visit = (options: PageOptions) =>
    renderPage(createElement(client.NotFoundPage), { path: '/nowhere', ...options }).html;

  for (const [session, name, href] of [
    [signedOut, notFound.toDemo, pages.demo],
    [user, limit.ownEngagement, pages.chat],
  ] as const) {
    it(`leads to ${href} by “${name}” and by the name of the product in the header`, () => {
      const links = controlsIn(visit({ session })).filter((control) => control.href === href);
      expect(links.map((link) => link.name)).to.include.members(['Advisory Chat', name]);
    });
  }

  it('says whether the browser is offline or the service cannot be reached', () => {
    expect(textOf(visit({ isOnline: false, session: signedOut }))).to.include(words.offline);
    const unreachable = textOf(visit({ prepare: ({ queryClient }) => failSession(queryClient, new TypeError()) }));
    expect(unreachable).to.include(words.unreachableNow).and.not.include(words.offline);
    const online = textOf(visit({ session: signedOut }));
    expect(online).to.not.include(words.unreachableNow).and.not.include(words.offline);
  });
});

describe('The keyboard shortcuts', () => {
  for (const [enter, send, line] of [
    ['send', 'Enter', 'Shift+Enter'],
    ['line', 'Ctrl+Enter', 'Enter'],
  ] as const) {
    it(`say that ${send} sends and that ${line} starts a new line if Enter means “${enter}”`, () => {
      const dialog = createElement(client.ShortcutsDialog, { onClose: () => {} });
      const { html } = renderPage(dialog, { settings: { enter } });
      const keys = Array.from(html.matchAll(/<dt>(.*?)<\/dt><dd><kbd>(.*?)<\/kbd>/g), ([, name, key]) => [name, key]);
      expect(keys).to.deep.include.members([
        [messages.shortcuts.send, send],
        [messages.shortcuts.line, line],
        [messages.shortcuts.stop, 'Esc'],
        [messages.shortcuts.newConversation, 'Ctrl+Shift+O'],
        [messages.shortcuts.editLast, 'Up arrow'],
        [messages.shortcuts.undo, 'Ctrl+Z'],
      ]);
    });
  }
});

describe('The chat page', () => {
  const visit = (options: PageOptions) =>
    renderPage(createElement(client.ChatPage), { path: '/c/4f7c2a0e', hasStorage: true, ...options });

  it('redirects a visitor to the sign-in, with the conversation as the page to return to, and a new user to onboarding', () => {
    expect(visit({ session: signedOut }).redirect).to.equal('/sign-in?returnTo=/c/4f7c2a0e');
    expect(visit({ session: newcomer }).redirect).to.equal(pages.onboarding);
  });

  it('uses the last session while the service cannot be reached, but not if the service responds with an error', () => {
    const redirectAfter = (error: Error) => {
      const prepare: PageOptions['prepare'] = ({ localStorage, queryClient }) => {
        localStorage.setItem(deviceKeys.session, JSON.stringify(newcomer));
        failSession(queryClient, error);
      };
      return visit({ prepare }).redirect;
    };
    expect(redirectAfter(new TypeError())).to.equal(pages.onboarding);
    expect(redirectAfter(new Error('503'))).to.equal(undefined);
  });
});
