import type { Hole } from '../hole.ts';

const linkTarget = 'client/markdown/link-target.ts';
const inlines = 'client/markdown/read-inlines.ts';
const inlineView = 'client/markdown/inline-view.tsx';

const misleading = (what: string) => ({
  file: 'test/client/markdown/hostile-texts.test.ts',
  title: `A reply that tries to mislead its reader does not by ${what}`,
});

const invitation = (rule: string) => ({
  file: 'test/client/session/invitation.test.ts',
  title: `An invitation ${rule}`,
});

const account = (rule: string) => ({ file: 'test/e2e/account.test.ts', title: `the account in the header ${rule}` });

/** What the chat window protects its reader from: links of a reply, and sessions and invitations in wrong hands. */
export const window: readonly Hole[] = [
  {
    name: 'A reply links to a page of this site by an address that only looks whole',
    file: linkTarget,
    find: '/^https?:\\/\\/[^/',
    replace: '/^https?:\\/*[^/',
    test: misleading('a path that looks like an address: "[a](https:auth/github)"'),
  },
  {
    name: 'A reply links to this site',
    file: linkTarget,
    find: "hostname.replace(/\\.$/, '') === ownHostname",
    replace: 'hostname === undefined',
    test: misleading('this site: "[a](https://chat.example:8443/auth/github)"'),
  },
  {
    name: 'A reply links to this site by a host that ends with a full stop',
    file: linkTarget,
    find: "hostname.replace(/\\.$/, '') === ownHostname",
    replace: 'hostname === ownHostname',
    test: misleading('this site with a full stop at its end: "[a](https://chat.example.:8443/auth/github)"'),
  },
  {
    name: 'A reply links to addresses of any kind',
    file: linkTarget,
    find: '/^https?:\\/\\/[^/',
    replace: '/^\\w+:\\/\\/[^/',
    test: misleading('a file server: "[a](ftp://evil.example/)"'),
  },
  {
    name: 'A link may name an account before its host',
    file: linkTarget,
    find: '[^/?#@\\\\\\s\\p{Cc}]',
    replace: '[^/?#\\\\\\s\\p{Cc}]',
    test: misleading('an empty account: "[a](https://@evil.example/)"'),
  },
  {
    name: 'A link whose text names another host does not say where it leads',
    file: inlines,
    find: 'place: namesPlace(text, target) ? undefined : place',
    replace: 'place: place && undefined',
    test: misleading('the address of a bank: "[https://bank.example](https://evil.example)"'),
  },
  {
    name: 'A text that begins with the host of its link passes for its address',
    file: linkTarget,
    find: "rest !== undefined && ['', '/', '?', '#'].includes(rest)",
    replace: 'rest !== undefined',
    test: misleading(
      'an address that begins as the link does: "[https://evil.example.bank.example](https://evil.example)"',
    ),
  },
  {
    name: 'A host in Punycode is shown in the letters that it stands for',
    file: 'client/markdown/tokens.ts',
    find: 'markdown.normalizeLinkText = (address) => address;',
    replace: '',
    test: misleading('a host in Punycode, bare: "https://xn--80ak6aa92e.example/"'),
  },
  {
    name: 'The text of a link may be turned round',
    file: inlines,
    find: "node.text.replace(directionMarks, '')",
    replace: 'node.text',
    test: misleading(`a bank written backwards: ${JSON.stringify('[\u202Eelpmaxe.knab\u202C](https://evil.example)')}`),
  },
  {
    name: 'What stands before a link may turn its text round',
    file: inlineView,
    find: '<a dir="auto"',
    replace: '<a',
    test: misleading('a word: "[here](https://evil.example)"'),
  },
  {
    name: 'A link tells where the reader comes from',
    file: inlineView,
    find: ' referrerPolicy="no-referrer"',
    replace: '',
    test: misleading('a word: "[here](https://evil.example)"'),
  },
  {
    name: 'The page behind a link may steer this one',
    file: inlineView,
    find: 'rel="noopener noreferrer nofollow"',
    replace: 'rel="opener"',
    test: misleading('a word: "[here](https://evil.example)"'),
  },
  {
    name: 'A link writes a letter in the name of its reader',
    file: linkTarget,
    find: 'if (mail !== undefined) return { href:',
    replace: 'if (mail !== undefined) return { href: written ||',
    test: misleading('a letter with its text: "[a](mailto:j@evil.example?subject=Yes&body=I+agree)"'),
  },
  {
    name: 'A link stands in a link',
    file: inlines,
    find: 'children: node.children.flatMap(asLinkText)',
    replace: 'children: node.children',
    test: misleading('a strong image in a link: "[**![a](https://a.example)**](https://b.example)"'),
  },
  {
    name: 'An invitation stays in the address of the page',
    file: 'client/session/invitation.ts',
    find: "query.delete('invitation');",
    replace: '',
    test: invitation('is taken out of the address of the sign-in page, and nothing else is'),
  },
  {
    name: 'An invitation is put into the address of a sign-in as it is',
    file: 'client/session/return-to.ts',
    find: 'new URLSearchParams({ returnTo: page, ...(invitation !== undefined && { invitation }) })',
    replace: "['returnTo=', page, '&invitation=', invitation].join('')",
    test: invitation('reaches the provider as it was sent, whatever it is, and stands for nothing else there'),
  },
  {
    name: 'A sign-in page that tells of a problem sends the invitation again',
    file: 'client/pages/sign-in-page.tsx',
    find: 'problem ? undefined : keptInvitation(state)',
    replace: 'keptInvitation(state)',
    test: {
      file: 'test/e2e/sign-in.test.ts',
      title: 'signing in through the browser forgets an invitation that a sign-in came back without',
    },
  },
  {
    name: 'Who is signed in already loses an invitation',
    file: 'client/pages/sign-in-page.tsx',
    find: 'if (user && !invitation)',
    replace: 'if (user)',
    test: {
      file: 'test/e2e/sign-in.test.ts',
      title:
        'signing in through the browser leaves it to somebody who is signed in already with which account they follow an invitation',
    },
  },
  {
    name: 'Escape stops the reply below an open menu',
    file: 'client/ui/use-stop-on-escape.ts',
    find: 'if (!isTaken && document.querySelector(openAbove) === null) onStop();',
    replace: 'if (!isTaken) onStop();',
    test: account('closes by Escape, and the reply that is running goes on'),
  },
  {
    name: 'All devices are signed out without a question',
    file: 'client/ui/account.tsx',
    find: 'onClick={ask}',
    replace: "onClick={() => fetch('/auth/sign-out-everywhere', { method: 'POST' }).then(ask)}",
    test: account('asks before it signs out on all devices, and gives the focus back where the person stays'),
  },
  {
    name: 'Signing out leaves on the device what it keeps of the person',
    file: 'client/session/sign-out.ts',
    find: 'forgetPerson(userId);',
    replace: '',
    test: account('signs out on all devices, and leaves nothing on this one'),
  },
  {
    name: 'Somebody who joins an organization describes it anew',
    file: 'client/onboarding/onboarding-form.tsx',
    find: 'submitOnboarding(isJoining ? toJoiningRequest(submitted) : toRequest(submitted))',
    replace: 'submitOnboarding(toRequest(submitted))',
    test: {
      file: 'test/e2e/onboarding.test.ts',
      title: 'onboarding in the browser tells somebody who joins an organization which, and asks for nothing about it',
    },
  },
];
