/** A use that must not compile: what is wrong with it, the code, and the error of TypeScript that it has to be refused with. */
export type WrongUse = { what: string; code: string; error: `TS${number}` };

/**
 * A generated client: what every file that uses it begins with, a program that uses it rightly, and wrong uses of it.
 * `run` is given an address and the cookie of somebody signed in, and tells what it has seen.
 */
export type GeneratedClient = { name: string; imports: string; right: string; wrong: readonly WrongUse[] };

/** What `run` tells of a turn, of the next turn of the same conversation, and of one without a session. */
export type Seen = {
  name: string | null | undefined;
  reply: string | undefined;
  conversations: (string | null | undefined)[];
  requestId: string | null | undefined;
  streamed: string | undefined;
  refusal: string | undefined;
};

const wrongBodies = [
  { what: 'a number as conversation', body: `{ messages, conversationId: 7 }`, error: 'TS2322' },
  { what: 'no messages', body: `{}`, error: 'TS2741' },
  { what: 'a text as messages', body: `{ messages: 'Where do we start?' }`, error: 'TS2322' },
  { what: 'a message of the system', body: `{ messages: [{ role: 'system', content: 'x' }] }`, error: 'TS2322' },
  { what: 'a message without a role', body: `{ messages: [{ content: 'x' }] }`, error: 'TS2741' },
  { what: 'a number as content', body: `{ messages: [{ role: 'user', content: 7 }] }`, error: 'TS2322' },
  {
    what: 'a picture as content',
    body: `{ messages: [{ role: 'user', content: [{ type: 'image', text: 'x' }] }] }`,
    error: 'TS2322',
  },
] as const;

/** Wrong uses of the fields that there are: some clients look at these only where an object is given its type. */
const wrongFields = [
  {
    what: 'a field that does not exist',
    type: 'LiveRequest',
    operation: 'liveChat',
    body: `{ messages, stream: true }`,
  },
  {
    what: 'a conversation in demo chat',
    type: 'DemoRequest',
    operation: 'demoChat',
    body: `{ messages, conversationId: 'c' }`,
  },
] as const;

/** Wrong uses of an error's code, whose type each client has by another name. */
const wrongCodes = [
  { what: 'a code that does not exist', code: `export const code: ErrorCode = 'RATE_LIMTED';`, error: 'TS2820' },
  {
    what: 'a comparison with a code that does not exist',
    code: `export const isLimited = (code: ErrorCode) => code === 'LIMITED';`,
    error: 'TS2367',
  },
  {
    what: 'a table of codes that forgets some',
    code: `export const table: Record<ErrorCode, boolean> = { INTERNAL: true };`,
    error: 'TS2740',
  },
] as const;

const messages = `
  const messages = [{ role: 'user' as const, content: 'Where do we start?' }];
  export const never: never = undefined as never;
`;
const form = `{ company: { name: 'Example Castings', industry: 'Metal casting' }, profile: { role: 'Head' } }`;

/** Of a client with a function for each operation; `data` is how it is asked for what an operation gives. */
const wrongCalls = (data: (call: string) => string): WrongUse[] => [
  ...wrongBodies.map(({ what, body, error }) => ({
    what,
    code: `export const asked = liveChat({ body: ${body} });`,
    error,
  })),
  ...wrongFields.map(({ what, operation, body }) => ({
    what,
    code: `export const asked = ${operation}({ body: ${body} });`,
    error: 'TS2353' as const,
  })),
  {
    what: 'a route that is only planned',
    code: `export const listed = operations.listConversations;`,
    error: 'TS2339',
  },
  {
    what: 'a provider that does not exist',
    code: `export const start = beginSignIn({ path: { provider: 'facebook' } });`,
    error: 'TS2322',
  },
  {
    what: 'a form without a role',
    code: `export const sent = onboard({ body: { profile: {} } });`,
    error: 'TS2741',
  },
  {
    what: 'a reply that is read as JSON',
    code: `export const reply = (${data('liveChat({ body: { messages } })')}).reply;`,
    error: 'TS2339',
  },
  {
    what: 'somebody signed in without looking whether there is one',
    code: `export const name = (${data('getSession()')}).user.name;`,
    error: 'TS2531',
  },
  ...wrongCodes,
];

export const generatedClients: readonly GeneratedClient[] = [
  {
    name: 'openapi-typescript',
    imports: `
      import createClient from 'openapi-fetch';
      import type { components, paths } from './schema.ts';
      type ErrorCode = components['schemas']['ErrorCode'];
      ${messages}
      export const client = createClient<paths>({ baseUrl: 'http://localhost:3000' });
    `,
    right: `
      export async function run(baseUrl: string, cookie: string) {
        const client = createClient<paths>({ baseUrl, headers: { Cookie: cookie } });
        const { data: session } = await client.GET('/auth/session');
        const first = await client.POST('/api/chat', {
          params: { header: { 'X-Request-Id': 'turn-1' } },
          body: { messages },
          parseAs: 'text',
        });
        const conversationId = first.response.headers.get('X-Conversation-Id') ?? '';
        const next = await client.POST('/api/chat', {
          body: { conversationId, messages: [{ role: 'user', content: [{ type: 'text', text: 'And then?' }] }] },
          parseAs: 'stream',
        });
        const stranger = createClient<paths>({ baseUrl });
        const { error } = await stranger.POST('/api/chat', { body: { messages }, parseAs: 'text' });
        const text: string | undefined = error;
        return {
          name: session?.user?.name,
          reply: first.data,
          conversations: [conversationId, next.response.headers.get('X-Conversation-Id')],
          requestId: first.response.headers.get('X-Request-Id'),
          streamed: next.data ? await new Response(next.data).text() : undefined,
          refusal: text?.split(':')[0] as ErrorCode | undefined,
        };
      }
      export const onboard = () => client.POST('/onboarding', { body: ${form} });
      export const start = () => client.GET('/auth/{provider}', { params: { path: { provider: 'google' } } });
    `,
    wrong: [
      ...wrongBodies.map(({ what, body }) => ({
        what,
        code: `export const asked = client.POST('/api/chat', { body: ${body} });`,
        error: 'TS2322' as const,
      })),
      ...wrongFields.map(({ what, type, body }) => ({
        what,
        code: `export const body: components['schemas']['${type}'] = ${body};`,
        error: 'TS2353' as const,
      })),
      {
        what: 'a route that is only planned',
        code: `export const listed = client.GET('/api/conversations');`,
        error: 'TS2554',
      },
      { what: 'another method', code: `export const got = client.GET('/api/chat');`, error: 'TS2554' },
      {
        what: 'a provider that does not exist',
        code: `export const start = client.GET('/auth/{provider}', { params: { path: { provider: 'facebook' } } });`,
        error: 'TS2322',
      },
      {
        what: 'a form without a role',
        code: `export const sent = client.POST('/onboarding', { body: { profile: {} } });`,
        error: 'TS2322',
      },
      {
        what: 'a reply that is read as JSON',
        code: `
          const { data } = await client.POST('/api/chat', { body: { messages } });
          export const reply = data?.reply;
        `,
        error: 'TS2339',
      },
      {
        what: 'somebody signed in without looking whether there is one',
        code: `
          const { data } = await client.GET('/auth/session');
          export const name = data?.user.name;
        `,
        error: 'TS18047',
      },
      ...wrongCodes,
    ],
  },
  {
    name: 'hey-api',
    imports: `
      import { createClient } from './client/index.ts';
      import { beginSignIn, demoChat, getSession, liveChat, onboard } from './sdk.gen.ts';
      import * as operations from './sdk.gen.ts';
      import type { ErrorCode } from './types.gen.ts';
      ${messages}
      export const used = [beginSignIn, createClient, demoChat, getSession, liveChat, messages, onboard, operations];
    `,
    right: `
      export async function run(baseUrl: string, cookie: string) {
        const client = createClient({ baseUrl, auth: () => cookie.slice(cookie.indexOf('=') + 1) });
        const { data: session } = await getSession({ client });
        const first = await liveChat({ client, headers: { 'X-Request-Id': 'turn-1' }, body: { messages } });
        const conversationId = first.response?.headers.get('X-Conversation-Id') ?? '';
        const next = await liveChat({
          client,
          body: { conversationId, messages: [{ role: 'user', content: [{ type: 'text', text: 'And then?' }] }] },
        });
        const { error } = await liveChat({ client: createClient({ baseUrl }), body: { messages } });
        const text: string | undefined = error;
        return {
          name: session?.user?.name,
          reply: first.data,
          conversations: [conversationId, next.response?.headers.get('X-Conversation-Id')],
          requestId: first.response?.headers.get('X-Request-Id'),
          streamed: next.data,
          refusal: text?.split(':')[0] as ErrorCode | undefined,
        };
      }
      export const onboarded = () => onboard({ body: ${form} });
      export const start = () => beginSignIn({ path: { provider: 'google' } });
    `,
    wrong: wrongCalls((call) => `(await ${call}).data ?? never`),
  },
  {
    name: 'redocly',
    imports: `
      import { ApiError, beginSignIn, client, demoChat, getSession, liveChat, onboard } from './client.ts';
      import * as operations from './client.ts';
      import type { ErrorCode } from './client.ts';
      ${messages}
      export const used = [ApiError, beginSignIn, client, demoChat, getSession, liveChat, onboard, operations];
    `,
    right: `
      export async function run(serverUrl: string, cookie: string) {
        client.configure({ serverUrl });
        const error = await liveChat({ body: { messages } }).catch((reason: unknown) => reason);
        const text = error instanceof ApiError ? String(error.body) : undefined;
        client.auth.apiKey('developmentSession', decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)));
        const session = await getSession();
        const headers = { 'X-Request-Id': 'turn-1' };
        const first = await liveChat({ body: { messages }, headers }, { envelope: true });
        const conversationId: string = first.headers.xConversationId;
        const next = await liveChat(
          { body: { conversationId, messages: [{ role: 'user', content: [{ type: 'text', text: 'And then?' }] }] } },
          { envelope: true },
        );
        return {
          name: session.user?.name,
          reply: first.data,
          conversations: [conversationId, next.headers.xConversationId],
          requestId: first.headers.xRequestId,
          streamed: next.data,
          refusal: text?.split(':')[0] as ErrorCode | undefined,
        };
      }
      export const onboarded = () => onboard({ body: ${form} });
      export const start = () => beginSignIn({ path: { provider: 'google' } });
    `,
    wrong: wrongCalls((call) => `await ${call}`),
  },
];
