import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { AppError } from '../../../server/app-error.ts';
import { createLogger, createLogOutput, logConsole } from '../../../server/http/logger.ts';
import { assignContext, requestLog } from '../../../server/http/request-context.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { jsonContentType, rawExchange, send, ulid } from '../../support/raw-http.ts';
import { serveExpress } from '../../support/serve-express.ts';
import { createTestApp } from '../../support/test-app.ts';

describe('the log line of a request', () => {
  const app = perSuite(() => createTestApp());

  it('has 128 characters of a long X-Request-Id, which the response echoes in full, even if the body is invalid HTTP', async () => {
    app.lines.length = 0;
    const long = 'i'.repeat(15_000);
    const fields = `Host: localhost\r\nX-Request-Id: ${long}\r\n${jsonContentType}\r\nTransfer-Encoding: chunked`;
    const request = `POST /api/chat/demo HTTP/1.1\r\n${fields}\r\n\r\nno length\r\n`;
    expect(await rawExchange(app.url, request)).to.include(`\r\nX-Request-Id: ${long}\r\n`);
    const broken = await eventually(() => app.lines.find(({ msg }) => msg === 'HTTP request rejected'));
    expect(broken).to.include({ requestId: long.slice(0, 128), status: 400, reason: 'HPE_INVALID_CHUNK_SIZE' });
    expect(broken.ownId).to.match(ulid);
  });

  it('has no control characters in its request id, and at most 256 characters of the path', async () => {
    app.lines.length = 0;
    const odd = '"quoted" \\ \u0085next \u009b31mred \t{"a":1}';
    await send(app.url, `GET /${'p'.repeat(9_000)}`, [`X-Request-Id: ${odd}`]);
    const line = await eventually(() => app.lines.find(({ msg }) => msg === 'request'));
    expect(line.requestId).to.equal('"quoted" \\ \ufffdnext \ufffd31mred \t{"a":1}');
    expect(line.path).to.equal(`/${'p'.repeat(255)}`);
  });

  it('has the level error and the code if the request failed, even after its status was sent', async () => {
    const startedAt = performance.now();
    await using server = await serveExpress((app, logger) => {
      app.use(requestLog(logger));
      const failure = new AppError('UPSTREAM_ERROR');
      app.get('/unfinished', (_request, response, next) => void response.write('half', () => next(failure)));
      app.get('/:status', ({ params, query }, response) => {
        if (query.failed)
          response.locals.context.addToLog({ code: 'UPSTREAM_ERROR', err: new Error('The reply failed.') });
        response.status(Number(params.status)).end();
      });
    });
    for (const path of ['200', '404', '500', '200?failed=yes']) await fetch(`${server.url}/${path}`);
    expect(
      await fetch(`${server.url}/unfinished`)
        .then((response) => response.text())
        .catch(String),
    ).to.include('terminated');
    await eventually(() => server.lines.length === 5 || undefined);
    expect(server.lines.map(({ path, status, level, code, msg }) => [path, status, level, code, msg])).to.deep.equal([
      ['/200', 200, 30, undefined, 'request'],
      ['/404', 404, 30, undefined, 'request'],
      ['/500', 500, 50, undefined, 'request'],
      ['/200', 200, 50, 'UPSTREAM_ERROR', 'request'],
      ['/unfinished', 200, 50, 'UPSTREAM_ERROR', 'request cut short'],
    ]);
    const elapsed = Math.ceil(performance.now() - startedAt);
    for (const { durationMs } of server.lines) expect(durationMs).to.be.within(0, elapsed);
  });

  it('is followed by a line with the same request id for an error after the response', async () => {
    await using server = await serveExpress((app, logger) => {
      app.use(requestLog(logger));
      app.get('/', (_request, response, next) => {
        response.end('whole');
        response.once('close', () => next(new Error('Too late.')));
      });
    });
    const response = await fetch(server.url);
    expect(await response.text()).to.equal('whole');
    const failure = await eventually(() => server.lines.find(({ level }) => level === 50));
    expect(failure).to.deep.include({ requestId: response.headers.get('X-Request-Id'), code: 'INTERNAL' });
    expect(failure.err).to.include({ type: 'Error' });
    expect(server.lines.map(({ msg }) => msg)).to.deep.equal(['request', 'error after the request had finished']);
  });
});

describe('the request context', () => {
  function create() {
    const request = { headers: {} } as IncomingMessage;
    const response = Object.assign(new EventEmitter(), { setHeader: () => undefined }) as unknown as ServerResponse;
    const { context } = assignContext(request, response, createLogger({ level: 'silent' })).locals;
    return { response, context };
  }

  it('is finished once the response is closed and all work is settled, and calls later listeners immediately', async () => {
    const { response, context } = create();
    const calls: string[] = [];
    const [stored, failed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    context.onFinished(() => calls.push('earlier'));
    context.waitUntil(stored.promise);
    context.waitUntil(failed.promise);
    stored.resolve();
    response.emit('close');
    await nextRound();
    expect(calls).to.deep.equal([]);
    failed.reject(new Error('The work failed.'));
    await nextRound();
    expect(calls).to.deep.equal(['earlier']);
    context.onFinished(() => calls.push('later'));
    expect(calls).to.deep.equal(['earlier', 'later']);
  });

  it('keeps the first error of the request and ignores later ones', () => {
    const { context } = create();
    const cause = new Error('The cause.');
    context.addToLog({ code: 'UPSTREAM_ERROR', err: cause });
    context.addToLog({ code: 'INTERNAL', err: new Error('The consequence.'), ending: 'failed' });
    expect(context.logFields).to.deep.equal({ code: 'UPSTREAM_ERROR', err: cause, ending: 'failed' });
  });
});

describe('the log output', () => {
  it('drops and counts lines while its reader is stalled, and reports the number of dropped lines once', async () => {
    let resume: () => void = () => undefined;
    const read: number[] = [];
    const stalled = new Writable({
      decodeStrings: false,
      write(line: string, _encoding, done) {
        read.push(line.length);
        resume = done;
      },
    });
    const reported: number[] = [];
    const output = createLogOutput(stalled, (dropped) => reported.push(dropped));
    const half = 'x'.repeat(600_000);
    for (let line = 0; line < 5; line += 1) output.write(half);
    expect(output.dropped).to.equal(3);
    expect(stalled.writableLength).to.equal(1_200_000);
    const readNext = async () => {
      resume();
      await nextRound();
    };
    await readNext();
    expect(reported).to.deep.equal([]);
    await readNext();
    expect(read).to.deep.equal([600_000, 600_000]);
    expect(reported).to.deep.equal([3]);

    output.write('one more');
    await readNext();
    expect(read.at(-1)).to.equal('one more'.length);
    expect(reported).to.deep.equal([3]);
  });

  it('counts lines that cannot be written, and then starts a new line, because the last one may be incomplete', () => {
    const written: string[] = [];
    const reported: number[] = [];
    let failure: Error | null = new Error('The disk is full.');
    const disk = Object.assign(new EventEmitter(), {
      writableLength: 0,
      write(text: string, done: (error: Error | null) => void) {
        written.push(text);
        done(failure);
      },
    });
    const output = createLogOutput(disk, (dropped) => reported.push(dropped));
    disk.emit('error', failure);
    output.write('lost');
    failure = null;
    for (const line of ['kept', 'also kept']) output.write(line);
    expect(written).to.deep.equal(['lost', '\nkept', 'also kept']);
    expect([output.dropped, ...reported]).to.deep.equal([1, 1]);
  });

  it('includes what libraries write to the console, with the labels of the process', () => {
    const lines: Record<string, unknown>[] = [];
    const processLabels = { instance: 'one', version: '1.0.0' };
    const logger = createLogger({ processLabels }, { write: (line) => void lines.push(JSON.parse(line)) });
    const output: Pick<Console, 'warn' | 'error'> = console;
    const { warn, error } = output;
    try {
      logConsole(logger);
      output.warn('%s is deprecated', 'One');
      output.error('Two');
    } finally {
      Object.assign(output, { warn, error });
    }
    const common = { ...processLabels, msg: 'console output of a library' };
    expect(lines[0]).to.include({ ...common, level: 40, console: 'One is deprecated' });
    expect(lines[1]).to.include({ ...common, level: 50, console: 'Two' });
  });
});
