import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { APIError } from '@anthropic-ai/sdk';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { AppError, HttpError } from '../../../server/app-error.ts';
import { getNativeClient } from '../../../server/database/native-client.ts';
import { boundedText, createLogger, loggableError, nameOrNull } from '../../../server/http/logger.ts';
import { assignContext, userOf } from '../../../server/http/request-context.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const canary = 'canary4f7e9d';
const thisFile = /^at test\/server\/http\/loggable\.test\.ts:\d+:\d+$/m;
/** A line of a message that looks like a stack frame of the project. */
const fakeFrame = `\n    at ${canary} (${new URL('../../../server/chat/turn-end.ts', import.meta.url)}:1:1)`;

const quoted = `${canary} 'one'\n${canary} two\n    at ${canary} (node:fs:1:1)${fakeFrame}`;

const body = { type: canary, error: { type: canary, message: quoted, details: { error_code: canary } } };
const providerHeaders = new Headers({ 'request-id': 'req_1', 'x-quoted': canary });

function withLibraryFields(error: Error): Error {
  const names = ['name', 'code', 'status', 'type', 'detail', 'hint', 'where', 'query', 'input', 'body', 'path', 'port'];
  return Object.assign(error, Object.fromEntries([...names, 'syscall'].map((name) => [name, canary])), {
    params: [canary],
    hostname: `${canary}!`,
    address: [canary],
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

function withMessage(error: Error, message: string): Error {
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

const hostileErrors: [string, unknown][] = [
  ['an error with the fields that libraries add', withLibraryFields(new LibraryError(quoted))],
  ['an error whose message has been replaced', withMessage(new LibraryError(quoted), canary)],
  ['an error with a replaced stack', Object.assign(new LibraryError(''), { stack: quoted })],
  ['an error whose message is not a string', Object.assign(new LibraryError(), { message: { canary } })],
  ['a provider response that is not JSON', APIError.generate(502, undefined, quoted, providerHeaders)],
  ["an error event in the provider's stream", new APIError(undefined, body, undefined, undefined)],
  [
    'an AppError that the provider caused',
    new AppError('UPSTREAM_ERROR', { cause: APIError.generate(400, body, quoted, providerHeaders) }),
  ],
  ['invalid JSON', thrownBy(() => JSON.parse(`{"a": ${canary}`))],
  ['an invalid URL', thrownBy(() => new URL(canary))],
  ['a property of undefined', thrownBy(() => (undefined as unknown as Record<string, string>)[canary])],
  ['an invalid argument of a Node function', thrownBy(() => Buffer.alloc(canary as unknown as number))],
  ['a schema mismatch', thrownBy(() => z.object({ a: z.literal('b') }).parse({ a: canary, [canary]: 1 }))],
  ['a schema mismatch of a record', thrownBy(() => z.record(z.string(), z.number()).parse({ [canary]: canary }))],
  ['circular causes', circular],
  ['a property getter that throws', throwing],
  ['a string', canary],
  ['undefined', undefined],
];

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

describe('a logged error', () => {
  for (const [title, error] of hostileErrors) it(`quotes no foreign text: ${title}`, () => expectNoCanary(error));

  it('has only a type and a stack if it is foreign, beside the message of the line or "error"', () => {
    const lines = linesOf(new LibraryError(quoted)).map((line) => JSON.parse(line));
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['A sentence.', 'error', 'error', 'A sentence.', 'error']);
    for (const { err } of lines) expect(err).to.have.all.keys('type', 'stack');
  });

  it('is only a type if it is not an Error or cannot be read, and names no error twice', () => {
    expect(loggableError(canary)).to.deep.equal({ type: 'string' });
    expect(loggableError(undefined)).to.deep.equal({ type: 'undefined' });
    expect(loggableError(throwing)).to.deep.equal({ type: 'unreadable' });
    for (const fields of [{ message: { canary } }, { stack: undefined }]) {
      const logged = loggableError(Object.assign(new LibraryError(), fields));
      expect(logged).to.include({ type: 'LibraryError' }).and.not.have.property('stack');
    }
    expect(loggableError(circular).cause?.errors?.map(({ type }) => type)).to.deep.equal(['LibraryError']);
  });

  it('omits a field that has more than an allowed form', () => {
    for (const wrap of [(text: string) => `${text} x`, (text: string) => `x ${text}`]) {
      const fields = { code: 'E1', constraint: 'one_guest', requestID: 'req_1', type: 'rate_limit_error' };
      const wrapped = Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, wrap(text)]));
      const error = Object.assign(new LibraryError(quoted), { name: wrap('NamedError') }, wrapped);
      expect(loggableError(error)).to.include({
        type: 'LibraryError',
        code: undefined,
        constraint: undefined,
        providerRequestId: undefined,
        providerType: undefined,
      });
    }
  });

  it('is at most 8 KB long', () => {
    const long = 'long '.repeat(5_000);
    let error = new Error(long);
    for (let depth = 0; depth < 100; depth += 1)
      error = new AggregateError(Array(100).fill(error), long, { cause: error });
    for (const each of [
      error,
      withLibraryFields(error),
      new AppError('INTERNAL', { sentence: long, cause: error }),
      new HttpError(400, long),
    ])
      expectNoCanary(each);
  });

  it('includes the stack frames of a foreign error', () => {
    const invalidUrl = thrownBy(() => new URL(canary));
    for (const error of [new LibraryError(quoted), new Error(quoted), invalidUrl, withMessage(new Error(), '')])
      expect(loggableError(error).stack).to.match(thisFile).and.not.include('undefined');
  });

  it('includes the location of a frame with and without a function, but not of a file with an unusual name', () => {
    const at = (file: string) => new URL(`../../../server/${file}`, import.meta.url);
    const stack = `Error: a\n    at f (${at('a.ts')}:1:1)\n    at g (${at('b.ts?x')}:2:2)\n    at ${at('c.ts')}:3:3`;
    const logged = loggableError(Object.assign(new Error('a'), { stack }));
    expect(logged.stack).to.equal('at server/a.ts:1:1\nat server/c.ts:3:3');
  });

  it('ignores lines of the message that look like stack frames, even if the message has been replaced', () => {
    expect(loggableError(new Error(`a${fakeFrame}`)).stack).not.to.include('server/chat/turn-end.ts');
    for (const message of ['a', 'b', 'c']) {
      const logged = loggableError(Object.assign(new Error(message), { stack: `Error: b b: a${fakeFrame}` }));
      expect(logged).not.to.have.property('stack');
    }
  });

  it('ignores frames after the first line that is not a frame, such as those of another error', () => {
    const error = new Error('a');
    error.stack = `${error.stack?.split('\n', 2).join('\n')}\nError: b${fakeFrame}`;
    expect(loggableError(error).stack).to.match(thisFile).and.not.include('server/chat/turn-end.ts');
  });

  it("includes the message, code and stack of the project's errors and their causes", () => {
    const message = 'The model could not finish the reply.';
    const causeMessage = 'The request body is larger than 10 bytes.';
    const logged = loggableError(new AppError('UPSTREAM_ERROR', { cause: new HttpError(413, causeMessage) }));
    expect(logged).to.include({ type: 'AppError', code: 'UPSTREAM_ERROR', message });
    expect(logged.stack).to.match(thisFile);
    expect(logged.cause).to.include({ type: 'HttpError', status: 413, message: causeMessage });
  });

  it('includes the message of a plain Error created in the project, but not that of an error thrown by V8', () => {
    const incoming = new IncomingMessage(new Socket());
    const response = assignContext(incoming, new ServerResponse(incoming), createLogger({ level: 'silent' }));
    const ours = loggableError(thrownBy(() => userOf(response)));
    expect(ours.message).to.equal('userOf requires a route with requireUser.');
    const mistake = loggableError(thrownBy(() => boundedText(undefined as unknown as string, 1)));
    expect(mistake.stack).to.match(/^at server\/http\/logger\.ts:/);
    expect(mistake).to.include({ type: 'TypeError' }).and.not.have.property('message');
  });

  it('includes the type, status and request id of a provider error', () => {
    const error = { type: 'error', error: { type: 'rate_limit_error', message: quoted } };
    expect(loggableError(APIError.generate(429, error, quoted, providerHeaders))).to.include({
      type: 'RateLimitError',
      status: 429,
      providerType: 'rate_limit_error',
      providerRequestId: 'req_1',
    });
    const inStream = loggableError(new APIError(undefined, error, undefined, undefined));
    expect(inStream).to.include({ type: 'APIError', providerType: 'rate_limit_error' });
  });

  it('has the name of the error as its type, so that a timeout can be told from an abort', () => {
    for (const name of ['TimeoutError', 'AbortError']) {
      expect(loggableError(new DOMException('', name))).to.include({ type: name, code: undefined });
    }
    class Odd extends Error {}
    expect(loggableError(Object.assign(new Odd(), { name: 'two words' })).type).to.equal('Error');
  });

  it('includes the SQLSTATE and constraint of database errors from the driver and the ORM', async () => {
    await using storage = await createTestDatabase();
    const { orm } = storage;
    const em = orm.em.fork();
    await em.execute('create table guests (id int primary key, email text constraint one_guest unique)');
    const insert = `insert into guests values (1, '${canary}'), (2, '${canary}')`;
    const client = await getNativeClient(orm);
    const errors: unknown[] = [];
    for (const run of [() => em.execute(insert), () => client.query(insert, [])]) {
      await (run() as Promise<unknown>).catch((error: unknown) => errors.push(error));
    }
    expect(errors).to.have.length(2);
    for (const error of errors) {
      expect(String((error as { detail: string }).detail)).to.include(canary);
      expectNoCanary(error);
      expect(loggableError(error)).to.include({ code: '23505', constraint: 'one_guest' });
    }
    const invalid: unknown = await em.execute(`select ?::int`, [quoted]).catch((error: unknown) => error);
    expectNoCanary(invalid);
    expect(loggableError(invalid)).to.include({ code: '22P02' });
    expect(loggableError(invalid).stack).to.include('node_modules/@mikro-orm/').and.match(thisFile);
  });

  it('includes the code of each system error in an AggregateError', () => {
    const codes = ['ECONNREFUSED', 'ETIMEDOUT'];
    const errors = codes.map((code) => Object.assign(new Error('x'), { code }));
    expect(loggableError(new AggregateError(errors)).errors?.map(({ code }) => code)).to.deep.equal(codes);
  });

  it('includes the code of a Redis error reply', () => {
    for (const [message, code] of [
      [`WRONGPASS 7 ${canary}`, 'WRONGPASS'],
      [`MOVED 7 ${canary}`, 'MOVED'],
      [`the password SECRET ${canary}`, undefined],
    ] as const) {
      const reply = Object.assign(new Error(message), { name: 'ReplyError', command: { args: [canary] } });
      expectNoCanary(reply);
      expect(loggableError(reply)).to.include({ code });
    }
  });
});

describe('nameOrNull', () => {
  it('returns text that looks like a name or an id, and null for any other', () => {
    for (const name of ['claude-test', 'req_1', 'vendor/model@1:x+y.z', 'x'.repeat(128)]) {
      expect(nameOrNull(name)).to.equal(name);
    }
    for (const text of [null, '', 'two words', ' x', 'x ', 'x\n', 'x'.repeat(129)])
      expect(nameOrNull(text)).to.equal(null);
  });
});
