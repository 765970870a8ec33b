import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { refusal } from '../server/database/scenes.ts';
import { perTest } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectStoredOnce, type FinishedTurn, finishedTurn, internalErrorBody } from './finished-turns.ts';

/** The filesystem has space for a cluster, two segments of its write-ahead log and some questions. */
const megabytes = 128;

describe("While PostgreSQL's disk is full", () => {
  const app = perTest(() => createAppOnOwnPostgres({ megabytes }));
  const avery = perTest(() => app.person());
  beforeEach(async () => {
    // Starts a new segment of the write-ahead log, because the server would shut down if it could not create the next
    // one.
    await app.operator.fork().execute('select pg_switch_wal()');
    await app.operator.fork().execute(`select pg_logical_emit_message(true, 'a test', 'written')`);
  });

  /** Fills the filesystem. Returns a function that frees the space. */
  async function fillDisk(): Promise<() => Promise<void>> {
    const path = join(app.directory, 'ballast');
    const file = await open(path, 'w');
    const written = await file.write(Buffer.alloc(megabytes * 2 ** 20)).then(
      ({ bytesWritten }) => bytesWritten,
      (error: NodeJS.ErrnoException) => error.code,
    );
    await file.close();
    if (written !== 'ENOSPC') expect(written, 'bytes written').to.be.below(megabytes * 2 ** 20);
    return () => rm(path);
  }

  /** Returns a text that is too long for the free space in a table's pages, incompressible, and within the 64 KiB limit of a reply. */
  const long = () => randomBytes(48_000).toString('base64');
  const ask = (content: string) => app.ask(avery, content);

  it('live chat fails before the provider request, demo chat works, and live chat recovers without a restart', async () => {
    const turns = [await ask(long())];
    expect(turns[0]?.status).to.equal(200);
    const freeSpace = await fillDisk();
    const filling = app.operator.fork().execute('create table ballast as select 1 from generate_series(1, 100000)');
    expect(await refusal(filling), 'disk_full').to.have.property('code', '53100');

    app.provider.reset();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const outcome = await ask(long());
      expect([outcome.status, outcome.text]).to.deep.equal([500, internalErrorBody]);
      turns.push(outcome);
    }
    expect(app.provider.requests).to.have.length(0);
    expect(await refusal(app.storage.database.ping())).to.have.property('code', '53100');
    expect(await (await app.demo(question(long()))).text()).to.equal(defaultReply.text);
    expect((await avery.browser.request('/auth/session')).status).to.equal(200);

    await freeSpace();
    const outcome = await ask(long());
    expect([outcome.status, outcome.text]).to.deep.equal([200, defaultReply.text]);
    await app.storage.database.ping();
    expectStoredOnce([...turns, outcome], await app.messages());
  });

  it('turns with short questions are each stored once or fail, until the existing pages of the tables are full', async () => {
    const turns: FinishedTurn[] = [];
    const freeSpace = await fillDisk();
    while (turns.at(-1)?.status !== 500) turns.push(await ask(`Question ${turns.length}? ${'x'.repeat(200)}`));
    await freeSpace();
    turns.push(await ask('Is there space again?'));

    expect(turns.at(-1)?.status).to.equal(200);
    await app.untilNoneIsLate();
    expectStoredOnce(turns, await app.messages());
  });

  it('a reply in flight is streamed completely, and stored once there is space', async () => {
    const answer = long();
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: answer }, { wait: promise }, { text: ' That is all.' }] });
    const reply = await app.live(avery, question());
    const freeSpace = await fillDisk();
    resolve();
    const outcome = await finishedTurn(Promise.resolve(reply), 'Where do we start?');
    expect(outcome.text).to.equal(`${answer} That is all.`);
    expect((await app.messages()).map(({ role }) => role)).to.deep.equal(['USER']);
    await freeSpace();
    await app.untilNoneIsLate();
    expectStoredOnce([outcome], await app.messages());
  });
});
