import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { defaultReply } from '../support/scripted-provider.ts';
import { root } from '../support/served-process.ts';
import { run } from '../support/server-process.ts';
import { createTestApp } from '../support/test-app.ts';

const compilerOptions = {
  noEmit: true,
  strict: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  types: [],
};

/** Uses the client correctly, and makes a mistake where marked. It does not compile if the types accept one of the mistakes. */
const program = `
  import createClient from 'openapi-fetch';
  import type { components, paths } from './schema.ts';
  type ErrorCode = components['schemas']['ErrorCode'];

  const messages = [{ role: 'user' as const, content: 'Where do we start?' }];
  const blocks = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'And then?' }] }];

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
      isContinued: next.response.headers.get('X-Conversation-Id') === conversationId,
      requestId: first.response.headers.get('X-Request-Id'),
      streamed: next.data ? await new Response(next.data).text() : undefined,
      refusal: text?.split(':')[0] as ErrorCode | undefined,
    };
  }

  export async function wrong() {
    const client = createClient<paths>();
    // @ts-expect-error unknown code
    const code: ErrorCode = 'RATE_LIMTED';
    // @ts-expect-error planned route
    await client.GET('/api/conversations');
    // @ts-expect-error unknown role
    await client.POST('/api/chat', { body: { messages: [{ role: 'system', content: 'x' }] } });
    const { data } = await client.GET('/auth/session');
    // @ts-expect-error possibly null
    return [code, data?.user.name];
  }
`;

describe('A client that is generated from docs/openapi.yaml', () => {
  let directory = '';

  before(async () => {
    const parent = join(root, 'test-results');
    await mkdir(parent, { recursive: true });
    // Inside the project, so that imports resolve.
    directory = await mkdtemp(join(parent, 'client-'));
    await run(process.execPath, ['test/docs/generate-client.ts', join(directory, 'schema.ts')], { cwd: root });
    await writeFile(join(directory, 'program.ts'), program);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('compiles, accepts correct uses and rejects mistakes', async () => {
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
    const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '--pretty', 'false'];
    const errors = await run(process.execPath, compiler, { cwd: directory }).then(
      () => '',
      ({ message, stdout }) => `${message}\n${stdout}`,
    );
    expect(errors).to.equal('');
  });

  it('calls the service', async () => {
    await using app = await createTestApp();
    const avery = await app.person();
    const client = await import(pathToFileURL(join(directory, 'program.ts')).href);
    expect(await client.run(app.url, avery.cookie)).to.deep.equal({
      name: avery.user.name,
      reply: defaultReply.text,
      isContinued: true,
      requestId: 'turn-1',
      streamed: defaultReply.text,
      refusal: 'UNAUTHENTICATED',
    });
  });
}).timeout(300_000);
