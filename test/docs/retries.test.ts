import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { errors, formatError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { codeByStatus, nextDelaySeconds, retryRules } from '../../shared/retry.ts';
import { errorCodes } from '../shared/error-codes.ts';
import { retryTable } from '../shared/retry-table.ts';
import { code, readDocument, readText } from '../support/document.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { failureOf, nextWaitSeconds, sendPatiently } from './patient-sender.ts';
import { AnswerError, ask } from './reply-reader.ts';
import { filePath, renderFile } from './retry-table/retry-table-file.ts';

const page = readDocument('docs/interface/retries.md');

describe('docs/interface/retries.md', () => {
  it('prints the retry table', () => {
    expect(page.tableUnder('## The table')).to.deep.equal(retryTable);
  });

  it('says what a status stands for whose body has no known code', () => {
    const said = [...page.text.matchAll(/(\d{3}) (?:counts )?as `(\w+)`/g)].map(([, status, name]) => [
      Number(status),
      name,
    ]);
    expect(said).to.deep.equal([...codeByStatus]);
  });

  it('has an example in Python that knows each code that is tried again', () => {
    const [, rules = ''] = /^RULES = \{([^}]*)\}/m.exec(readText('docs/examples/terminal-client.py')) ?? [];
    const known = [...rules.matchAll(/"([A-Z_]+)": \((\d+),/g)].map(([, name, attempts]) => [name, Number(attempts)]);
    const retried = Object.entries(retryRules).filter(([, { attempts }]) => attempts > 1);
    expect(known).to.deep.equal(retried.map(([name, { attempts }]) => [name, attempts]));
  });

  it('gives the waits of turns that fail', () => {
    const rows = page.tableUnder('## How to read it');
    expect(rows).to.have.length.above(3);
    for (const [met = '', waits = '', then = ''] of rows) {
      const failures = [...met.matchAll(/`(\w+)`(?: (\d+))?/g)].map(([, name = '', seconds]) => ({
        code: name,
        ...(seconds !== undefined && { retryAfterSeconds: Number(seconds) }),
      }));
      const computed = failures.map((_, last) => nextDelaySeconds(failures.slice(0, last + 1)));
      const isSentAgain = then === 'sent again';
      expect(computed.slice(0, isSentAgain ? undefined : -1).join(', '), met).to.equal(waits);
      expect(computed.at(-1) !== null, met).to.equal(isSentAgain);
    }
  });

  it('names each field of the table as data', () => {
    const names = page.tableUnder('## The data').flatMap(([cell = '']) => cell.split(', '));
    const { description, ...fields } = JSON.parse(readText(filePath));
    expect(description).to.include('npm run retry-table');
    expect(names).to.deep.equal(Object.keys(fields).map(code));
  });
});

describe('The sender of docs/interface/retries.md', () => {
  const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
    new AnswerError(new Response(null, { status, headers }), body);

  it('is quoted there', () => {
    expect(page.codeUnder('## In code', 'ts')).to.equal(readText('test/docs/patient-sender.ts'));
  });

  it('waits as the table has it', () => {
    for (const { failures, waitsSeconds } of JSON.parse(readText(filePath)).cases) {
      const waits = waitsSeconds.map((_: unknown, last: number) => nextWaitSeconds(failures.slice(0, last + 1)));
      expect(waits, JSON.stringify(failures)).to.deep.equal(waitsSeconds);
    }
  });

  it('goes by each code of the table, and by the status where there is none of them', () => {
    for (const name of errorCodes) {
      expect(failureOf(answer(errors[name].status, formatError(name))).code).to.equal(name);
    }
    for (const body of ['<h1>Sorry</h1>', 'NOT_IN_THE_TABLE: A later version says so.']) {
      for (const [status, name] of codeByStatus) expect(failureOf(answer(status, body)).code).to.equal(name);
      for (const status of [400, 404, 408, 500, 504]) expect(failureOf(answer(status, body)).code).to.equal(null);
    }
  });

  it('takes a wait in seconds from 429 alone', () => {
    const waitOf = (status: number, value?: string) =>
      failureOf(answer(status, 'x', value === undefined ? {} : { 'Retry-After': value })).retryAfterSeconds;
    expect(waitOf(429, '42')).to.equal(42);
    expect([waitOf(429), waitOf(429, 'Sun, 22 Nov 2026 10:00:00 GMT'), waitOf(503, '42')]).to.deep.equal([
      null,
      null,
      null,
    ]);
  });

  describe('beside the service', () => {
    let app: TestApp;
    let cookie: string;
    const waits: number[] = [];
    const wait = async (seconds: number) => void waits.push(seconds);

    before(async () => {
      app = await createTestApp();
      ({ cookie } = await app.person());
    });
    beforeEach(() => {
      app.provider.reset();
      waits.length = 0;
    });
    after(() => app.close());

    const { messages } = question();
    const turn = (requestId: string) =>
      sendPatiently(
        (conversationId) => ask(app.url + routes.liveChat, messages, () => {}, { cookie, requestId, conversationId }),
        wait,
      );

    it('sends a turn until it is answered, in one conversation, and its question is stored once', async () => {
      let attempts = 0;
      app.provider.answerWith(() => {
        attempts += 1;
        if (attempts > 2) return defaultReply.answer;
        return { refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } };
      });
      const { text, conversationId } = await turn('patient-1');
      expect({ text, waits }).to.deep.equal({ text: defaultReply.text, waits: [1, 2] });
      const rows = await app.storage.rows('select role, conversation_id as id from chat_messages order by position');
      expect(rows).to.deep.equal(['USER', 'ASSISTANT'].map((role) => ({ role, id: conversationId })));
    });

    it('gives up with the last error', async () => {
      app.provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Broken.' } });
      const error = await turn('patient-2').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(AnswerError).and.include({ code: 'UPSTREAM_ERROR', requestId: 'patient-2' });
      expect(waits).to.deep.equal([1]);
      expect(app.provider.requests).to.have.length(2);
    });
  });
});

describe(filePath, () => {
  it('is what npm run retry-table writes', () => {
    expect(JSON.parse(readText(filePath))).to.deep.equal(JSON.parse(renderFile()));
  });
});
