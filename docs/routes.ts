import {
  budgetSentences,
  demoErrorCodes,
  type ErrorCode,
  errorCodes,
  formatAppendedError,
  fullSentences,
} from '../shared/errors.ts';
import { modelOptions, routes } from '../shared/interface.ts';
import type { RefusalName } from './answers.ts';
import type { headers, schemas } from './components.ts';

/*
 * The routes as openapi.yaml describes them. The limits, the statuses of the codes, the headers that every answer has and the
 * examples of errors follow from the tables.
 */

type Example = { summary: string; value: unknown };
type Answer = {
  description: string;
  headers?: Record<string, keyof typeof headers>;
  type?: 'application/json' | 'text/plain';
  schema?: keyof typeof schemas;
  examples?: Record<string, Example>;
};

export type Operation = {
  id: string;
  tag: 'Chat' | 'Sign-in' | 'Service';
  method: 'get' | 'post';
  path: string;
  summary: string;
  description: string;
  /** Whether it looks at the session cookie. */
  session?: 'needed' | 'welcome';
  model?: (typeof modelOptions)[keyof typeof modelOptions];
  query?: { name: string; description: string; example?: string }[];
  body?: Record<string, { schema: keyof typeof schemas; required: boolean; examples: Record<string, Example> }>;
  success: Record<number, Answer>;
  codes: readonly ErrorCode[];
  /** What a code says here in place of its own sentence, by the example's name. */
  sentences?: Record<string, { code: ErrorCode; when: string; sentence: string }>;
  refusals: readonly RefusalName[];
  /** Refusals of this route alone: a sentence with a line end, or JSON. */
  own?: Record<string, { status: number; when: string; value: unknown; schema?: keyof typeof schemas }>;
};

const everywhere: RefusalName[] = ['not-http', 'not-found', 'too-slow', 'headers-too-large'];
const inTheApp: RefusalName[] = [...everywhere, 'no-host', 'plain-http', 'unmet-expectation'];
const fromPages: RefusalName[] = [...inTheApp, 'other-site'];
const ofChat: RefusalName[] = [...fromPages, 'other-method', 'too-large', 'too-many-messages', 'too-many-blocks'];
const anywhere: ErrorCode[] = ['INTERNAL', 'UPSTREAM_OVERLOADED'];

const example = (summary: string, value: unknown): Example => ({ summary, value });
const reply = {
  REPLY: example('A reply', 'Start with the first hypothesis.'),
  FAILED_AFTER_TEXT: example(
    'A reply that failed after its first text',
    `Start with ${formatAppendedError('UPSTREAM_ERROR')}`,
  ),
};
const streamed = (headers: Answer['headers']): Operation['success'] => ({
  200: {
    description: 'The reply, streamed as the model writes it.',
    headers: { ...headers, 'Cache-Control': 'CacheControl', 'X-Accel-Buffering': 'Unbuffered' },
    type: 'text/plain',
    schema: 'Reply',
    examples: reply,
  },
});
const noStore = { 'Cache-Control': 'NoStore' } as const;
const json = (
  schema: keyof typeof schemas,
  description: string,
  examples: Record<string, Example>,
  headers: Answer['headers'] = {},
): Answer => ({ description, headers, type: 'application/json', schema, examples });
const jsonBody = (schema: keyof typeof schemas, examples: Record<string, Example>): NonNullable<Operation['body']> => ({
  'application/json': { schema, required: true, examples },
});
const operation = <Id extends string>(id: Id, tag: Operation['tag'], method: Operation['method'], path: string) => ({
  id,
  tag,
  method,
  path,
});

const serviceFull = {
  code: 'UPSTREAM_OVERLOADED',
  when: 'This process has reached the limit of turns in flight.',
  sentence: fullSentences.service,
} as const;

const user = (name: string, onboarded: boolean, organization: object) => ({
  id: 'cyk3m0vmvhqdlvj1b2zr8x9fa',
  name: `${name} Example`,
  email: `${name.toLowerCase()}@example.com`,
  onboarded,
  organization,
});
const castings = { id: 'cm2n4fzz0q8j6y1tq7d3w5xkb', name: 'Example Castings' };
const ofCasey = { id: 'cw0n1s6ai5e5nsvjlx5oijh6h', name: 'Casey Example' };
const question = (content: string) => ({ role: 'user', content });

export const operationsOf = (providers: readonly string[]): Operation[] => [
  {
    ...operation('liveChat', 'Chat', 'post', routes.liveChat),
    summary: 'Live chat',
    description:
      "Streams one turn of a signed-in, onboarded user. The reply is conditioned on the caller's organization, profile and engagement state. The turn is stored: the question before the model is asked, the reply when the stream closes. Checked in this order: session, onboarding, room for one more turn, limit, JSON, messages, budgets.",
    session: 'needed',
    model: modelOptions.live,
    body: jsonBody('LiveRequest', {
      first: example('A first question', { messages: [question('Where do we start?')] }),
      next: example('The next question of the same conversation', {
        conversationId: 'ci7ya6b1mv79h6atdckfjynme',
        messages: [
          question('Where do we start?'),
          { role: 'assistant', content: 'With the first hypothesis.' },
          question('How do we test it?'),
        ],
      }),
    }),
    success: streamed({ 'X-Conversation-Id': 'ConversationId', 'X-Prompt-Version': 'PromptVersion' }),
    codes: errorCodes,
    sentences: {
      'person-budget': {
        code: 'RATE_LIMITED',
        when: "The person's budget of tokens is used up.",
        sentence: budgetSentences.user,
      },
      'organization-budget': {
        code: 'RATE_LIMITED',
        when: "The organization's budget of tokens is used up.",
        sentence: budgetSentences.organization,
      },
      'service-full': serviceFull,
      'person-full': {
        code: 'UPSTREAM_OVERLOADED',
        when: 'This person has reached the limit of turns in flight.',
        sentence: fullSentences.user,
      },
    },
    refusals: ofChat,
  },
  {
    ...operation('demoChat', 'Chat', 'post', routes.demoChat),
    summary: 'Demo chat',
    description:
      'Streams one reply about a fixed, fictional manufacturing engagement. Public: cookies are not looked at. Nothing is stored. Checked in this order: room for one more turn, limit, JSON, messages, budget. An element of `messages` that is not a text of the user or the assistant, or whose text is only white space, is 502. The provider checks the role of the last message; its refusal is 502.',
    model: modelOptions.demo,
    body: jsonBody('DemoRequest', {
      first: example('A first question', { messages: [question('Which hypothesis should be tested first?')] }),
    }),
    success: streamed({}),
    codes: demoErrorCodes,
    sentences: {
      'demo-budget': {
        code: 'RATE_LIMITED',
        when: "Demo chat's budget of tokens is used up.",
        sentence: budgetSentences.demo,
      },
      'service-full': serviceFull,
      'demo-full': {
        code: 'UPSTREAM_OVERLOADED',
        when: 'Demo chat has reached the limit of turns in flight.',
        sentence: fullSentences.demo,
      },
    },
    refusals: ofChat,
  },
  {
    ...operation('getSession', 'Sign-in', 'get', routes.session),
    summary: 'Who is signed in, and how one can sign in here',
    description: 'Always 200, also without a session. A `HEAD` is answered too, and an `If-None-Match` with 304.',
    session: 'welcome',
    success: {
      200: json(
        'Session',
        'Who is signed in, if anyone.',
        {
          'signed-in': example('Somebody who is onboarded', { user: user('Avery', true, castings), providers }),
          newcomer: example('Somebody who is not onboarded', { user: user('Casey', false, ofCasey), providers }),
          joining: example('Somebody who is not onboarded, and has joined an organization', {
            user: user('Blake', false, { ...castings, shared: true }),
            providers,
          }),
          'signed-out': example('Nobody', { user: null, providers }),
        },
        noStore,
      ),
    },
    codes: anywhere,
    refusals: inTheApp,
  },
  {
    ...operation('signOut', 'Sign-in', 'post', routes.signOut),
    summary: 'Sign out on this device',
    description:
      'Ends the session and clears the cookie. A reply that was asked for in the session ends too. No body is read.',
    session: 'welcome',
    success: {
      204: { description: 'The session is over, or there was none.', headers: { 'Set-Cookie': 'EndedSession' } },
    },
    codes: anywhere,
    refusals: fromPages,
  },
  {
    ...operation('signOutEverywhere', 'Sign-in', 'post', routes.signOutEverywhere),
    summary: 'Sign out on all devices',
    description: 'Ends all sessions of the person whose cookie it is. No body is read.',
    session: 'needed',
    success: {
      204: { description: 'All sessions of this person are over.', headers: { 'Set-Cookie': 'EndedSession' } },
    },
    codes: ['UNAUTHENTICATED', ...anywhere],
    refusals: fromPages,
  },
  {
    ...operation('join', 'Sign-in', 'post', routes.join),
    summary: 'Join another organization by an invitation',
    description:
      'For a person with an account. With the token alone it answers with the two organizations, so that a page can ask the person, and changes nothing. With `from` and `to` the person joins, and the invitation is used up. They are then onboarded only if they were in that organization before.',
    session: 'needed',
    body: jsonBody('JoinRequest', {
      question: example('Where the invitation leads', { invitation: 'TOKEN' }),
      joining: example('The person joins', { invitation: 'TOKEN', from: castings.id, to: ofCasey.id }),
    }),
    success: {
      200: json('JoinQuestion', 'Where the invitation leads. Nothing has changed.', {
        'join-question': example('An invitation to another organization', { from: castings, to: ofCasey }),
      }),
      204: { description: 'The person has joined.' },
    },
    codes: ['INVALID_JSON', 'UNAUTHENTICATED', ...anywhere],
    refusals: [...fromPages, 'too-large'],
    own: {
      'no-invitation': {
        status: 404,
        when: 'The invitation is unknown, was used, has expired or was revoked.',
        value: 'There is no such invitation, or it can no longer be used.\n',
      },
      'joining-changed': {
        status: 409,
        when: 'The person is not in the organization `from`, the invitation does not lead to `to`, or it can no longer be used. Nothing has changed.',
        value: 'The invitation or your organization is not what it was.\n',
      },
      'bad-invitation': {
        status: 422,
        when: 'A field is missing, or not as it has to be.',
        value: 'The token of an invitation is needed.\n',
      },
    },
  },
  {
    ...operation('beginSignIn', 'Sign-in', 'get', `${routes.signIn}/{provider}`),
    summary: 'Begin to sign in',
    description:
      'Open this address in a browser: it leads to the provider, and from there to the callback. A program cannot sign in by it. A provider that the operator has not set up is 404; `getSession` lists those that are set up.',
    query: [
      {
        name: 'returnTo',
        description:
          'The path on this site to go to after sign-in. Anything else, and a path of more than 1000 bytes, counts as `/chat`.',
        example: '/chat',
      },
      {
        name: 'invitation',
        description:
          'The token of an invitation, which is used up if the person signs up by it. A person with an account is asked first: see `join`.',
      },
    ],
    success: {
      302: {
        description:
          "To the provider; first to this address at the public name of the service, where the visitor came by another one. A navigation from another site (`Sec-Fetch-Site: cross-site`) is redirected to `/sign-in` with the same query, and an address that reads like a provider's answer to `/sign-in?problem=expired`. A body, if there is one, names the address again.",
        headers: { Location: 'Location', 'Cache-Control': 'NoStore', 'Set-Cookie': 'Attempt' },
      },
    },
    codes: anywhere,
    refusals: inTheApp,
  },
  {
    ...operation('completeSignIn', 'Sign-in', 'get', `${routes.signIn}/{provider}/callback`),
    summary: 'Where the provider sends people back to',
    description:
      "Only the provider's redirect has a use for this address. It is registered at the provider. It never answers with an error of the provider: a person who is not let in returns to the sign-in page.",
    query: [
      { name: 'code', description: "The provider's authorization code." },
      { name: 'state', description: 'That of the attempt, which the cookie knows.' },
      { name: 'error', description: 'Sent in place of a code, where the person or the provider refused.' },
    ],
    success: {
      302: {
        description:
          'A person who is let in continues to `returnTo`, or to `/onboarding`. A person with an account and an invitation to another organization is sent to `/sign-in?invitation=TOKEN`, which asks whether they join. Everyone else is sent to `/sign-in?problem=PROBLEM`, where the problem is one of `SignInProblem`. A body, if there is one, repeats the address.',
        headers: { Location: 'Location', 'Cache-Control': 'NoStore', 'Set-Cookie': 'BegunSession' },
      },
    },
    codes: anywhere,
    refusals: inTheApp,
  },
  {
    ...operation('onboard', 'Sign-in', 'post', routes.onboarding),
    summary: 'What the onboarding page sends',
    description:
      "Describes the person's organization, their role and the first week of the engagement. Live chat is open to them from then on. Not to be taken for `POST /api/onboarding`, which is planned. With `GET` this address is the page.",
    session: 'needed',
    body: jsonBody('OnboardingForm', {
      first: example('The first member of an organization', {
        company: { name: 'Example Castings', industry: 'Metal casting', size: '120 people' },
        profile: { role: 'Head of operations' },
        engagement: {
          focus: 'Shorter lead times',
          hypotheses: ['Most of the lead time is waiting'],
          unknowns: ['What waiting costs'],
        },
      }),
      joining: example('Somebody whose organization has members', { profile: { role: 'Head of sales' } }),
    }),
    success: { 204: { description: 'The person is onboarded now.' } },
    codes: ['INVALID_JSON', 'UNAUTHENTICATED', ...anywhere],
    refusals: [...fromPages, 'too-large'],
    own: {
      'onboarded-before': {
        status: 409,
        when: 'The person was onboarded before. Nothing has changed.',
        value: 'You have completed onboarding already.\n',
      },
      'bad-fields': {
        status: 422,
        when: 'Fields are missing, or not as they have to be.',
        schema: 'FieldErrors',
        value: { 'company.industry': 'The industry is needed.', 'profile.role': 'Your role is needed.' },
      },
    },
  },
  {
    ...operation('getHealth', 'Service', 'get', '/healthz'),
    summary: 'Whether the process serves',
    description: 'For supervisors. Reached by plain HTTP too. It asks no other part.',
    success: {
      200: json('Health', 'The process serves.', { healthy: example('It serves', { status: 'ok' }) }, noStore),
    },
    codes: [],
    refusals: everywhere,
  },
  {
    ...operation('getReadiness', 'Service', 'get', '/readyz'),
    summary: 'Whether to send it requests',
    description: 'For balancers. Reached by plain HTTP too. It asks no other part.',
    success: {
      200: json(
        'Readiness',
        'Send it requests.',
        { ready: example('It takes requests', { ready: true, draining: false }) },
        noStore,
      ),
      503: json(
        'Readiness',
        'It is on its way out. Send it no more.',
        { draining: example('It is on its way out', { ready: false, draining: true }) },
        noStore,
      ),
    },
    codes: [],
    refusals: everywhere,
  },
];
