import {
  budgetSentences,
  capacitySentences,
  demoErrorCodes,
  type ErrorCode,
  errorCodes,
  formatAppendedError,
} from '../shared/errors.ts';
import { modelOptions } from '../shared/interface.ts';
import type { Route, RouteName } from '../shared/route-table.ts';
import { selectAccountPrompt } from '../shared/session.ts';
import type { headers, schemas } from './components.ts';
import type { RefusalName } from './documented-errors.ts';

/*
 * The descriptions of the routes for openapi.yaml. Methods, paths, sessions, limits, statuses, common headers and examples
 * of errors are derived from the tables of the sources.
 */

type Example = { summary: string; value: unknown };
type MediaType = 'application/json' | 'text/plain' | 'text/html';
type DocumentedResponse = {
  description: string;
  headers?: Record<string, keyof typeof headers>;
  type?: MediaType | readonly MediaType[];
  schema?: keyof typeof schemas;
  examples?: Record<string, Example>;
};

export type Operation = Route & Description;

type Description = {
  id: string;
  tag: 'Chat' | 'Sign-in' | 'Service';
  summary: string;
  description: string;
  model?: (typeof modelOptions)[keyof typeof modelOptions];
  query?: { name: string; description: string; example?: string }[];
  body?: Record<string, { schema: keyof typeof schemas; required: boolean; examples: Record<string, Example> }>;
  success: Record<number, DocumentedResponse>;
  /** Besides those of its access, its body and its limit. */
  codes: readonly ErrorCode[];
  /**
   * Sentences of this route that replace the default sentence of a code, besides those of its body. The key is the name of
   * the example.
   */
  sentences?: Record<string, { code: ErrorCode; when: string; sentence: string }>;
  refusals: readonly RefusalName[];
  /** The refusals of only this route: a sentence with a line end, or JSON. */
  own?: Record<string, { status: number; when: string; value: unknown; schema?: keyof typeof schemas }>;
};

const healthRefusals: RefusalName[] = ['not-http', 'not-found', 'too-slow', 'headers-too-large'];
const appRefusals: RefusalName[] = [...healthRefusals, 'no-host', 'other-host', 'plain-http', 'unmet-expectation'];
const chatRefusals: RefusalName[] = [
  ...appRefusals,
  'other-method',
  'too-compressed',
  'too-many-messages',
  'too-many-blocks',
];
const commonCodes: ErrorCode[] = ['INTERNAL', 'UPSTREAM_OVERLOADED'];

const example = (summary: string, value: unknown): Example => ({ summary, value });
const reply = {
  REPLY: example('A reply', 'Start with the first hypothesis.'),
  FAILED_AFTER_TEXT: example(
    'A reply that failed after its first text',
    `Start with ${formatAppendedError('UPSTREAM_ERROR')}`,
  ),
};
const streamed = (headers: DocumentedResponse['headers']): Operation['success'] => ({
  200: {
    description: 'The reply, streamed as the model writes it.',
    headers: { ...headers, 'Cache-Control': 'CacheControl', 'X-Accel-Buffering': 'Unbuffered' },
    type: 'text/plain',
    schema: 'Reply',
    examples: reply,
  },
});
const redirectBody = { type: ['text/plain', 'text/html'], schema: 'Redirect' } as const;
const json = (
  schema: keyof typeof schemas,
  description: string,
  examples: Record<string, Example>,
  headers: DocumentedResponse['headers'] = {},
): DocumentedResponse => ({ description, headers, type: 'application/json', schema, examples });
const jsonBody = (schema: keyof typeof schemas, examples: Record<string, Example>): NonNullable<Operation['body']> => ({
  'application/json': { schema, required: true, examples },
});
const serviceFull = {
  code: 'UPSTREAM_OVERLOADED',
  when: 'This process has reached the limit of turns in flight.',
  sentence: capacitySentences.service,
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

export const descriptionsOf = (providers: readonly string[]): Record<RouteName, Description> => ({
  liveChat: {
    id: 'liveChat',
    tag: 'Chat',
    summary: 'Live chat',
    description:
      "Streams one turn of a signed-in, onboarded user. The prompt contains the caller's organization, profile and engagement state. The service stores the question before it calls the model, and the reply when the stream closes. Checks run in this order: session, onboarding, capacity, rate limit, JSON, messages, budgets.",
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
      'user-budget': {
        code: 'RATE_LIMITED',
        when: "The user's budget of tokens is used up.",
        sentence: budgetSentences.user,
      },
      'organization-budget': {
        code: 'RATE_LIMITED',
        when: "The organization's budget of tokens is used up.",
        sentence: budgetSentences.organization,
      },
      'service-full': serviceFull,
      'user-full': {
        code: 'UPSTREAM_OVERLOADED',
        when: 'This user has reached the limit of turns in flight.',
        sentence: capacitySentences.user,
      },
    },
    refusals: [...chatRefusals, 'too-large'],
  },
  demoChat: {
    id: 'demoChat',
    tag: 'Chat',
    summary: 'Demo chat',
    description:
      'Streams one reply about a fixed, fictional manufacturing engagement. Public: cookies are ignored. Nothing is stored. Checks run in this order: capacity, rate limit, JSON, messages, budget. An element of `messages` that is not a text of the user or the assistant, or has only white space, results in 502. The provider checks the role of the last message; its refusal also results in 502.',
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
        when: 'Demo chat has reached its limit of turns in flight, or its half of the memory for bodies. In the second case the connection is closed.',
        sentence: capacitySentences.demo,
      },
    },
    refusals: [...chatRefusals, 'too-large-for-demo'],
  },
  session: {
    id: 'getSession',
    tag: 'Sign-in',
    summary: 'Get the signed-in user and the available sign-in providers',
    description:
      'Returns 200 even without a session. Also supports `HEAD`, and responds to a matching `If-None-Match` with 304.',
    success: {
      200: json('Session', 'The signed-in user, or null.', {
        'signed-in': example('An onboarded user', { user: user('Avery', true, castings), providers }),
        newcomer: example('A user who is not onboarded', { user: user('Casey', false, ofCasey), providers }),
        joining: example('A user who is not onboarded and has joined an organization', {
          user: user('Blake', false, { ...castings, shared: true }),
          providers,
        }),
        'signed-out': example('No one', { user: null, providers }),
      }),
    },
    codes: commonCodes,
    refusals: appRefusals,
  },
  signOut: {
    id: 'signOut',
    tag: 'Sign-in',
    summary: 'Sign out on this device',
    description: 'Ends the session with its replies in progress, and deletes the cookie. The body is ignored.',
    success: {
      204: { description: 'The session has ended, or there was none.', headers: { 'Set-Cookie': 'EndedSession' } },
    },
    codes: commonCodes,
    refusals: appRefusals,
  },
  signOutEverywhere: {
    id: 'signOutEverywhere',
    tag: 'Sign-in',
    summary: 'Sign out on all devices',
    description: 'Ends all sessions of the signed-in user. The body is ignored.',
    success: {
      204: { description: 'All sessions of the user have ended.', headers: { 'Set-Cookie': 'EndedSession' } },
    },
    codes: commonCodes,
    refusals: appRefusals,
  },
  join: {
    id: 'join',
    tag: 'Sign-in',
    summary: 'Join another organization with an invitation',
    description:
      'For a user with an account. With only the token, returns the two organizations, so that a page can ask the user, and changes nothing. With `from` and `to`, the user joins and the invitation is used up. The user is then onboarded only if they have been onboarded in that organization before.',
    body: jsonBody('JoinRequest', {
      question: example('Preview the invitation', { invitation: 'TOKEN' }),
      joining: example('Join', { invitation: 'TOKEN', from: castings.id, to: ofCasey.id }),
    }),
    success: {
      200: json('JoinQuestion', 'The two organizations. Nothing has changed.', {
        'join-question': example('An invitation to another organization', { from: castings, to: ofCasey }),
      }),
      204: { description: 'The user has joined.' },
    },
    codes: commonCodes,
    refusals: [...appRefusals, 'too-large-for-join'],
    own: {
      'no-invitation': {
        status: 404,
        when: "The invitation is unknown, was revoked, or, unless it names the user's own organization, was used or has expired.",
        value: 'This invitation does not exist or is no longer valid.\n',
      },
      'joining-changed': {
        status: 409,
        when: 'The user is not in the organization `from`, the invitation does not lead to `to`, or it can no longer be used. Nothing has changed.',
        value: 'The invitation or your organization has changed.\n',
      },
      'bad-invitation': {
        status: 422,
        when: 'A field is missing or invalid.',
        value: 'The invitation token is required.\n',
      },
    },
  },
  signInStart: {
    id: 'beginSignIn',
    tag: 'Sign-in',
    summary: 'Start a sign-in',
    description:
      'Open this address in a browser. It redirects to the provider, which redirects to the callback. A program cannot sign in this way. A provider that is not configured results in 404; `getSession` lists the configured ones.',
    query: [
      {
        name: 'returnTo',
        description:
          'The path of this site to open after sign-in. Any other value, or a path of more than 1000 bytes, counts as `/chat`.',
        example: '/chat',
      },
      {
        name: 'invitation',
        description:
          'The token of an invitation, which is used up if the user signs up with it. A user with an account is asked first: see `join`.',
      },
      {
        name: 'prompt',
        description: `With \`${selectAccountPrompt}\`, the provider asks for the account even if only one is signed in there.`,
        example: selectAccountPrompt,
      },
    ],
    success: {
      302: {
        description:
          "Redirects to the provider. A request to another host name is first redirected to the same path at the public one. A navigation from another site (`Sec-Fetch-Site: cross-site`) is redirected to `/sign-in` with the same query, and a request with the parameters of a provider's response to `/sign-in?problem=expired`. The redirect to the provider has no body.",
        headers: { Location: 'Location', 'Set-Cookie': 'Attempt' },
        ...redirectBody,
      },
    },
    codes: commonCodes,
    refusals: appRefusals,
  },
  signInCallback: {
    id: 'completeSignIn',
    tag: 'Sign-in',
    summary: 'Complete a sign-in',
    description:
      'The provider redirects people to this address, which is registered there. It never responds with an error of the provider: a failed sign-in redirects to the sign-in page.',
    query: [
      { name: 'code', description: "The provider's authorization code." },
      { name: 'state', description: 'The state of the attempt, which must match the cookie.' },
      { name: 'error', description: 'Sent instead of a code if the user or the provider refused.' },
    ],
    success: {
      302: {
        description:
          'After a successful sign-in, redirects to `returnTo`, or to `/onboarding` if the user is not onboarded. A user with an account and an invitation to another organization is redirected to `/sign-in?invitation=TOKEN`, which asks whether to join. A failed sign-in redirects to `/sign-in?problem=PROBLEM`, where the problem is one of `SignInProblem`.',
        headers: { Location: 'Location', 'Set-Cookie': 'NewSession' },
        ...redirectBody,
      },
    },
    codes: commonCodes,
    refusals: appRefusals,
  },
  onboarding: {
    id: 'onboard',
    tag: 'Sign-in',
    summary: 'Complete onboarding',
    description:
      "Stores the user's role and adds to their engagement, which otherwise starts in week 1. Also sets the description of their organization if it has no other member. Afterwards the user can use live chat. Do not confuse it with `POST /api/onboarding`, which is planned. `GET` on this address returns the page.",
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
      joining: example('A member of an organization with other members', { profile: { role: 'Head of sales' } }),
    }),
    success: { 204: { description: 'The user is onboarded.' } },
    codes: commonCodes,
    refusals: [...appRefusals, 'too-large-for-onboarding'],
    own: {
      'onboarded-before': {
        status: 409,
        when: 'The user is already onboarded. Nothing has changed.',
        value: 'Onboarding is already complete.\n',
      },
      'bad-fields': {
        status: 422,
        when: 'Fields are missing or invalid.',
        schema: 'FieldErrors',
        value: { 'company.industry': 'The industry is required.', 'profile.role': 'Your role is required.' },
      },
    },
  },
  health: {
    id: 'getHealth',
    tag: 'Service',
    summary: 'Liveness',
    description: 'For supervisors. Also available over plain HTTP. It checks no other part of the service.',
    success: {
      200: json('Health', 'The process is running.', { healthy: example('Running', { status: 'ok' }) }),
    },
    codes: [],
    refusals: healthRefusals,
  },
  readiness: {
    id: 'getReadiness',
    tag: 'Service',
    summary: 'Readiness',
    description: 'For load balancers. Also available over plain HTTP. It checks no other part of the service.',
    success: {
      200: json('Readiness', 'The process accepts requests.', {
        ready: example('Ready', { ready: true, draining: false }),
      }),
      503: json('Readiness', 'The process is stopping. Send no requests.', {
        draining: example('Stopping', { ready: false, draining: true }),
      }),
    },
    codes: [],
    refusals: healthRefusals,
  },
});
