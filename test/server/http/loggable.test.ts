import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { APIError } from '@anthropic-ai/sdk';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { AppError, HttpError } from '../../../server/app-error.ts';
import { nativeClient } from '../../../server/database/client.ts';
import { boundedText, createLogger, loggableError } from '../../../server/http/logger.ts';
import { assignContext, principalOf } from '../../../server/http/request-context.ts';
import { findFreePort } from '../../support/served-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const canary = 'canary4f7e9d';
const here = /^at test\/server\/http\/loggable\.test\.ts:\d+:\d+$/m;
/** A line of a message that reads like a frame of ours. */
const fakeFrame = `\n    at ${canary} (${new URL('../../../server/chat/reply.ts', import.meta.url)}:1:1)`;

const quoted = `${canary} 'one'\n${canary} two\n    at ${canary} (node:fs:1:1)${fakeFrame}`;

const body = { type: canary, error: { type: canary, message: quoted, details: { error_code: canary } } };
const providerHeaders = new Headers({ 'request-id': 'req_1', 'x-quoted': canary });

/** A foreign error with whatever libraries hang on theirs. */
function hung(error: Error): Error {
  return Object.assign(error, {
    name: canary,
    code: canary,
    status: canary,
    type: canary,
    detail: canary,
    hint: canary,
    where: canary,
    query: canary,
    params: [canary],
    input: canary,
    body: canary,
    path: canary,
    syscall: canary,
    hostname: `${canary}!`,
    address: [canary],
    port: canary,
    config: { headers: { authorization: canary } },
  });
}

class LibraryError extends Error {
  override readonly name = 'LibraryError';
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

function changed(error: Error, message: string): Error {
  error.message = message;
  return error;
}

const circular = new LibraryError(quoted);
circular.cause = new AggregateError([circular, new LibraryError(quoted, { cause: circular })], quoted);

const throwing = Object.defineProperty(new LibraryError(quoted), 'cause', {
  get() {
    throw new Error(canary);
  },
});

const hostile: [string, unknown][] = [
  ['an error with all that libraries hang on theirs', hung(new LibraryError(quoted))],
  ['an error whose message was changed to what its stack begins with', changed(new LibraryError(quoted), canary)],
  ['an error whose stack is not its own', Object.assign(new LibraryError(''), { stack: quoted })],
  ['an error whose message is no text', Object.assign(new LibraryError(), { message: { canary } })],
  ["a refusal that is not the provider's JSON", APIError.generate(502, undefined, quoted, providerHeaders)],
  ["an error event in the provider's stream", new APIError(undefined, body, undefined, undefined)],
  [
    'what we say of it',
    new AppError('UPSTREAM_ERROR', { cause: APIError.generate(400, body, quoted, providerHeaders) }),
  ],
  ['JSON that cannot be read', thrownBy(() => JSON.parse(`{"a": ${canary}`))],
  ['an address that cannot be read', thrownBy(() => new URL(canary))],
  ['a property of nothing', thrownBy(() => (undefined as unknown as Record<string, string>)[canary])],
  ["a mistake with one of Node's functions", thrownBy(() => Buffer.alloc(canary as unknown as number))],
  ['a schema that does not fit', thrownBy(() => z.object({ a: z.literal('b') }).parse({ a: canary, [canary]: 1 }))],
  ['a schema with keys that were sent', thrownBy(() => z.record(z.string(), z.number()).parse({ [canary]: canary }))],
  ['a circle of causes', circular],
  ['a property that throws', throwing],
  ['a text', canary],
  ['nothing', undefined],
];

/** What is logged of `error`, in every way in which it can be given to a logger. */
function linesOf(error: unknown): string[] {
  const lines: string[] = [];
  const logger = createLogger({ level: 'trace' }, { write: (line) => void lines.push(line) });
  logger.error({ err: error }, 'A sentence.');
  logger.error({ err: error });
  logger.error(error);
  logger.error(error, 'A sentence.');
  logger.child({ part: 'one' }).error({ err: error }, undefined);
  return error instanceof Error ? lines : lines.slice(0, 2);
}

function expectNoCanary(error: unknown): void {
  for (const line of linesOf(error)) {
    expect(line.toLowerCase()).not.to.include(canary);
    expect(line.length).to.be.lessThan(8192);
  }
}

describe('an error in the log', () => {
  for (const [what, error] of hostile) it(`quotes nobody: ${what}`, () => expectNoCanary(error));

  it('is bounded, however much there is of it', () => {
    const long = 'long '.repeat(5_000);
    let error = new Error(long);
    for (let depth = 0; depth < 100; depth += 1)
      error = new AggregateError(Array(100).fill(error), long, { cause: error });
    for (const each of [
      error,
      hung(error),
      new AppError('INTERNAL', { sentence: long, cause: error }),
      new HttpError(400, long),
    ])
      expectNoCanary(each);
  });

  it('says where a foreign error was made', () => {
    for (const error of [new LibraryError(quoted), new Error(quoted), new TypeError(''), changed(new Error(), '')])
      expect(loggableError(error).stack).to.match(here);
  });

  it('makes no frame of what a message says', () => {
    for (const error of [new Error(`a${fakeFrame}`), changed(new LibraryError(`a${fakeFrame}`), 'b')])
      expect(loggableError(error).stack ?? '').not.to.include('server/chat/reply.ts');
  });

  it('keeps our sentences, the codes, and who called', () => {
    const error = new AppError('UPSTREAM_ERROR', { cause: new HttpError(413, 'The request body is over 10 bytes.') });
    const logged = loggableError(error);
    expect(logged).to.deep.include({
      type: 'AppError',
      code: 'UPSTREAM_ERROR',
      message: 'The model could not finish the reply.',
    });
    expect(logged.stack).to.match(here);
    expect(logged.cause).to.include({ type: 'HttpError', status: 413, message: 'The request body is over 10 bytes.' });
  });

  it('keeps the sentence of a plain error that was made in the sources, and not what V8 says there', () => {
    const incoming = new IncomingMessage(new Socket());
    const response = assignContext(incoming, new ServerResponse(incoming), createLogger({ level: 'silent' }));
    const ours = loggableError(thrownBy(() => principalOf(response)));
    expect(ours.message).to.equal('This route does not require a signed-in user.');
    const mistake = loggableError(thrownBy(() => boundedText(undefined as unknown as string, 1)));
    expect(mistake.stack).to.match(/^at server\/http\/logger\.ts:/);
    expect(mistake).to.include({ type: 'TypeError' }).and.not.have.property('message');
  });

  it("keeps the provider's type, its status and its request id", () => {
    const error = { type: 'error', error: { type: 'rate_limit_error', message: quoted } };
    expect(loggableError(APIError.generate(429, error, quoted, providerHeaders))).to.include({
      type: 'RateLimitError',
      status: 429,
      providerType: 'rate_limit_error',
      providerRequestId: 'req_1',
    });
    expect(loggableError(new APIError(undefined, error, undefined, undefined))).to.include({
      type: 'APIError',
      providerType: 'rate_limit_error',
    });
  });

  it("keeps the database's SQLSTATE and constraint, of the driver's error and of the ORM's", async () => {
    await using storage = await createTestDatabase();
    const { orm } = storage;
    const em = orm.em.fork();
    await em.execute('create table guests (id int primary key, email text constraint one_guest unique)');
    const insert = `insert into guests values (1, '${canary}'), (2, '${canary}')`;
    const client = await nativeClient(orm);
    const errors: unknown[] = [];
    for (const run of [() => em.execute(insert), () => client.query(insert, [])]) {
      await (run() as Promise<unknown>).catch((error: unknown) => errors.push(error));
    }
    expect(errors).to.have.length(2);
    for (const error of errors) {
      expect(String((error as { detail: string }).detail)).to.include(canary);
      expectNoCanary(error);
      expect(loggableError(error)).to.include({
        code: '23505',
        constraint: 'one_guest',
      });
    }
    const invalid: unknown = await em.execute(`select ?::int`, [quoted]).catch((error: unknown) => error);
    expectNoCanary(invalid);
    expect(loggableError(invalid)).to.include({ code: '22P02' });
    expect(loggableError(invalid).stack).to.include('node_modules/@mikro-orm/').and.match(here);
  });

  it('keeps the code of a system call, and of each of several', async () => {
    const [refused] = await once(connect(await findFreePort(), '127.0.0.1'), 'close').catch((error: Error) => [error]);
    const both = new AggregateError([refused, Object.assign(new Error('x'), { code: 'ETIMEDOUT' })]);
    expect(loggableError(both).errors?.map(({ code }) => code)).to.deep.equal(['ECONNREFUSED', 'ETIMEDOUT']);
  });

  it("keeps the code of Redis' refusal", () => {
    for (const code of ['WRONGPASS', 'MOVED']) {
      const reply = Object.assign(new Error(`${code} 7 ${canary}`), {
        name: 'ReplyError',
        command: { args: [canary] },
      });
      expectNoCanary(reply);
      expect(loggableError(reply)).to.include({ code });
    }
  });
});
