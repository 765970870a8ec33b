/**
 * A program that uses a generated client, rightly and where a comment says so wrongly: it does not compile where the client's types
 * let that pass. `run` is given an address and the cookie of somebody signed in, and tells what it has seen.
 */
export type GeneratedClient = { name: string; program: string };

/** What `run` tells of a turn, of the next turn of the same conversation, and of one without a session. */
export type Seen = {
  name: string | null | undefined;
  reply: string | undefined;
  conversations: (string | null | undefined)[];
  requestId: string | null | undefined;
  streamed: string | undefined;
  refusal: string | undefined;
};

const messages = `
  const messages = [{ role: 'user' as const, content: 'Where do we start?' }];
  const blocks = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'And then?' }] }];
  // @ts-expect-error There is no such code.
  export const code: ErrorCode = 'RATE_LIMTED';
`;

export const generatedClients: readonly GeneratedClient[] = [
  {
    name: 'openapi-typescript',
    program: `
      import createClient from 'openapi-fetch';
      import type { components, paths } from './schema.ts';
      type ErrorCode = components['schemas']['ErrorCode'];
      ${messages}
      export async function run(baseUrl: string, cookie: string) {
        const client = createClient<paths>({ baseUrl, headers: { Cookie: cookie } });
        const { data: session } = await client.GET('/auth/session');
        const first = await client.POST('/api/chat', {
          params: { header: { 'X-Request-Id': 'turn-1' } },
          body: { messages },
          parseAs: 'text',
        });
        const conversationId = first.response.headers.get('X-Conversation-Id') ?? '';
        const next = await client.POST('/api/chat', { body: { conversationId, messages: blocks }, parseAs: 'stream' });
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
      export async function wrong() {
        const client = createClient<paths>();
        // @ts-expect-error It is only planned.
        await client.GET('/api/conversations');
        // @ts-expect-error Only the user and the assistant say anything.
        await client.POST('/api/chat', { body: { messages: [{ role: 'system', content: 'x' }] } });
        const { data } = await client.GET('/auth/session');
        // @ts-expect-error Nobody may be signed in.
        return data?.user.name;
      }
    `,
  },
  {
    name: 'hey-api',
    program: `
      import { createClient } from './client/index.ts';
      import * as operations from './sdk.gen.ts';
      import type { ErrorCode } from './types.gen.ts';
      const { getSession, liveChat } = operations;
      ${messages}
      export async function run(baseUrl: string, cookie: string) {
        const client = createClient({ baseUrl, auth: () => cookie.slice(cookie.indexOf('=') + 1) });
        const { data: session } = await getSession({ client });
        const first = await liveChat({ client, headers: { 'X-Request-Id': 'turn-1' }, body: { messages } });
        const conversationId = first.response?.headers.get('X-Conversation-Id') ?? '';
        const next = await liveChat({ client, body: { conversationId, messages: blocks } });
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
      export async function wrong() {
        // @ts-expect-error It is only planned.
        void operations.listConversations;
        // @ts-expect-error Only the user and the assistant say anything.
        await liveChat({ body: { messages: [{ role: 'system', content: 'x' }] } });
        const { data } = await getSession();
        // @ts-expect-error Nobody may be signed in.
        return data?.user.name;
      }
    `,
  },
];
