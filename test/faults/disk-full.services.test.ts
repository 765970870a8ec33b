import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { question } from '../support/test-app.ts';
import { type AppOnOwnPostgres, createAppOnOwnPostgres } from './app-on-own-postgres.ts';
import { expectAccountedFor, internal, type Told, toldBy } from './told.ts';

/** Room for a cluster, two segments of its log and some questions. */
const megabytes = 128;

describe("while PostgreSQL's disk is full", function () {
  this.timeout(180_000);
  let app: AppOnOwnPostgres;
  let avery: Awaited<ReturnType<AppOnOwnPostgres['person']>>;

  beforeEach(async () => {
    app = await createAppOnOwnPostgres({ megabytes });
    avery = await app.person();
    // A whole new segment of the server's log: with no room for the next one, it would end, as if it were stopped.
    await app.operator.fork().execute('select pg_switch_wal()');
    await app.operator.fork().execute(`select pg_logical_emit_message(true, 'a test', 'written')`);
  });
  afterEach(() => app.close());

  /** Takes all the room there is; calling the result gives it back. */
  async function fillDisk(): Promise<() => Promise<void>> {
    const path = join(app.directory, 'ballast');
    const file = await open(path, 'w');
    const written = await file.write(Buffer.alloc(megabytes * 2 ** 20)).then(
      ({ bytesWritten }) => bytesWritten,
      (error: NodeJS.ErrnoException) => error.code,
    );
    await file.close();
    if (written !== 'ENOSPC') expect(written, 'the bytes that had room').to.be.below(megabytes * 2 ** 20);
    return () => rm(path);
  }

  /** Too long for the room that is left in pages, incompressible, and within the 64 KiB that a reply may have. */
  const long = () => randomBytes(48_000).toString('base64');
  const ask = (content: string) => toldBy(app.live(avery, question(content)), content);
  const nothingLate = () => eventually(() => (app.lateWrites.status().late === 0 ? true : undefined));

  it('live chat fails before the provider is asked, demo chat answers, and both work once there is room, without a restart', async () => {
    const turns = [await ask(long())];
    expect(turns[0]?.status).to.equal(200);
    const makeRoom = await fillDisk();
    const refusal = await app.operator
      .fork()
      .execute(`create table ballast as select 1 from generate_series(1, 100000)`)
      .then(
        () => undefined,
        (error: { code?: string }) => error.code,
      );
    expect(refusal, 'disk_full').to.equal('53100');

    app.provider.reset();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const told = await ask(long());
      expect([told.status, told.text]).to.deep.equal([500, internal]);
      turns.push(told);
    }
    expect(app.provider.requests).to.have.length(0);
    expect(await (await app.demo(question(long()))).text()).to.equal(defaultReply.text);
    expect((await avery.browser.request('/auth/session')).status).to.equal(200);

    await makeRoom();
    const told = await ask(long());
    expect([told.status, told.text]).to.deep.equal([200, defaultReply.text]);
    expectAccountedFor([...turns, told], await app.messages());
  });

  it('short questions are stored while there is room in a page, and each turn is accounted for', async () => {
    const turns: Told[] = [];
    const makeRoom = await fillDisk();
    while (turns.at(-1)?.status !== 500) turns.push(await ask(`Question ${turns.length}? ${'x'.repeat(200)}`));
    await makeRoom();
    turns.push(await ask('Is there room again?'));

    expect(turns.at(-1)?.status).to.equal(200);
    await nothingLate();
    expectAccountedFor(turns, await app.messages());
  });

  it('a reply that was begun before is passed on whole, and stored once there is room', async () => {
    const answer = long();
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: answer }, { wait: promise }, { text: ' That is all.' }] });
    const reply = await app.live(avery, question());
    const makeRoom = await fillDisk();
    resolve();
    const told = await toldBy(Promise.resolve(reply), 'Where do we start?');
    expect(told.text).to.equal(`${answer} That is all.`);
    expect((await app.messages()).map(({ role }) => role)).to.deep.equal(['USER']);
    await makeRoom();
    await nothingLate();
    expectAccountedFor([told], await app.messages());
  });
});
