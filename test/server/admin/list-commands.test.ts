import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { perSuite } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from '../database/scenes.ts';
import { runCommandLine, runForText } from './run-command-line.ts';

/** Exceeds the number of rows that a list shows by default. */
const many = 1_203;

const storage = perSuite(() => createTestDatabase());
before(async () => {
  // The times have microseconds, and many rows share the same time.
  await storage.rows(
    `insert into organizations (id, name, created_at)
       select 'o' || number, 'Castings ' || number, timestamptz '2026-01-01' + (number / 300) * interval '1 microsecond'
         from generate_series(1, ${many}) number`,
  );
  await storage.rows(
    `with people as (
       insert into users (id, org_id, name, email, created_at)
         select 'u' || number, 'o' || number, 'Person ' || number, 'person.' || number || '@Example.com',
                timestamptz '2026-01-01' + (number / 300) * interval '1 microsecond'
           from generate_series(1, ${many}) number returning id, org_id
     ), members as (insert into memberships (user_id, org_id) select id, org_id from people)
     insert into identities (provider, subject, user_id) select 'github', id, id from people`,
  );
  await storage.rows(
    `insert into invitations (id, token_hash, created_at, expires_at)
       select 'i' || number, number::text, timestamptz '2026-01-01' + (number / 300) * interval '1 microsecond', now()
         from generate_series(1, ${many}) number`,
  );
});
beforeEach(() => storage.rows('delete from audit_events'));

const admin = (...words: string[]) => runForText(storage.administration, words);
const ids = async (...words: string[]): Promise<string[]> =>
  JSON.parse(await admin(...words, '--json')).map(({ id }: { id: string }) => id);
const actions = async () =>
  (await storage.rows('select action, subject from audit_events order by position')).map(({ action, subject }) => ({
    action,
    subject,
  }));

for (const [list, order] of [
  ['list-users', 'asc'],
  ['list-organizations', 'asc'],
  ['list-invitations', 'desc'],
] as const) {
  describe(list, () => {
    const inOrder = async () => {
      const table = list.slice('list-'.length);
      const rows = await storage.rows(`select id from ${table} order by created_at ${order}, id ${order}`);
      return rows.map(({ id }) => String(id));
    };

    it('prints the first thousand rows in a stable order, and a notice that there are more', async () => {
      const all = await inOrder();
      const { text, notice } = await runCommandLine(storage.administration, [list, '--json']);
      expect(JSON.parse(text).map(({ id }: { id: string }) => id)).to.deep.equal(all.slice(0, 1_000));
      expect(notice).to.equal(`There are more rows. Use --after ${all[999]} to continue, or increase --limit.`);
      expect(await actions(), 'the trail').to.deep.equal([{ action: list, subject: null }]);
    });

    it('prints every row once and no notice if --limit equals their number', async () => {
      const { text, notice } = await runCommandLine(storage.administration, [list, '--json', `--limit=${many}`]);
      expect(JSON.parse(text).map(({ id }: { id: string }) => id)).to.deep.equal(await inOrder());
      expect(notice).to.equal(undefined);
    });

    it('prints at most --limit rows after the row --after', async () => {
      const all = await inOrder();
      const pages: string[] = [];
      for (let last: string | undefined; ; ) {
        const page = await ids(list, '--limit', '501', ...(last === undefined ? [] : ['--after', last]));
        pages.push(...page);
        last = page.at(-1);
        if (page.length < 501) break;
      }
      expect(pages).to.deep.equal(all);
      expect(await ids(list, '--after', all.at(-1) ?? ''), 'after the last').to.deep.equal([]);
    });

    it('reports an unknown id in --after', async () => {
      const { message } = await refusal(admin(list, '--after', 'nobody'));
      expect(message).to.match(/^There is no (user|organization|invitation) nobody\.$/);
    });

    it('refuses an invalid --limit', async () => {
      for (const limit of ['0', '-1', 'ten', '1.5', '']) {
        const { message } = await refusal(admin(list, `--limit=${limit}`));
        expect(message, limit).to.equal('--limit must be a positive whole number.');
      }
    });
  });
}

describe('find-user', () => {
  it('finds users by a part of name, email address or id, case-insensitively', async () => {
    expect(await ids('find-user', 'pERSON 77')).to.have.members(['u77', ...range(770, 779)]);
    expect(await ids('find-user', 'Person.1200@example')).to.deep.equal(['u1200']);
    expect(await ids('find-user', 'U1203')).to.deep.equal(['u1203']);
    expect(await ids('find-user', 'person 9_')).to.deep.equal([]);
    expect(await ids('find-user', "' or true --")).to.deep.equal([]);
  });

  it('prints the columns of list-users and accepts its options', async () => {
    const [found] = JSON.parse(await admin('find-user', 'Person 1203', '--json'));
    const [listed] = JSON.parse(await admin('list-users', '--json', '--limit', '2000')).filter(
      ({ id }: { id: string }) => id === 'u1203',
    );
    expect(found).to.deep.equal(listed);
    expect(await ids('find-user', 'person')).to.have.length(1_000);
    expect(await ids('find-user', 'person', '--limit', '1100')).to.have.length(1_100);
    const [first, second, third] = await ids('find-user', 'person', '--limit', '3');
    expect(await ids('find-user', 'person', '--limit', '2', '--after', String(first))).to.deep.equal([second, third]);
  });

  it('does not record the searched text in the audit trail', async () => {
    await admin('find-user', 'person.12@example.com');
    expect(await actions()).to.deep.equal([{ action: 'find-user', subject: null }]);
  });
});

describe('find-request', () => {
  it('prints user, organization, conversation, times and audit events of a request id', async () => {
    const avery = await newcomer(storage, 'Avery');
    const { conversationId } = await ask(storage, avery, { requestId: 'the quoted one', content: 'My secret' });
    await storage.database.turns.close({ ...answerIn(conversationId, avery), id: 'a1', requestId: 'the quoted one' });
    await storage.database.users.signOut(avery.userId, null, { requestId: 'the quoted one', addressHash: 'x' });

    const { messages, events } = JSON.parse(await admin('find-request', 'the quoted one', '--json'));
    expect(messages).to.have.length(2);
    for (const message of messages) {
      expect(message).to.deep.include({
        conversationId,
        user: { id: avery.userId, name: 'Avery', email: null },
        organization: { id: avery.orgId, name: 'Avery’s organization' },
      });
      expect(new Date(message.createdAt).valueOf()).to.be.closeTo(Date.now(), 60_000);
    }
    expect(messages.map(({ role, stopReason }: Record<string, unknown>) => [role, stopReason])).to.deep.equal([
      ['USER', null],
      ['ASSISTANT', 'end_turn'],
    ]);
    expect(messages[1].position).to.be.greaterThan(messages[0].position);
    expect(events).to.have.length(1);
    expect(events[0]).to.include({ action: 'signed-out-everywhere', actor: avery.userId, subject: avery.userId });
    expect(events[0].details).to.deep.equal({ sessions: 0 });

    const printed = await admin('find-request', 'the quoted one');
    expect(printed).to.include(conversationId).and.include('signed-out-everywhere').and.not.include('My secret');
    await storage.rows(`update chat_messages set stop_reason = null where id = 'a1'`);
    const [, question, answer] = (await admin('find-request', 'the quoted one')).split('\n');
    expect(question?.split(/ {2,}/)).to.deep.equal([
      new Date(messages[0].createdAt).toISOString(),
      ...['USER', String(messages[0].position), conversationId, avery.userId, 'Avery', '-'],
      ...[avery.orgId, 'Avery’s organization', '-', '-'],
    ]);
    expect(answer).to.match(/ ASSISTANT .* incomplete +claude-test$/);
    expect((await actions()).at(-1)).to.deep.equal({ action: 'find-request', subject: 'the quoted one' });
  });

  it('finds a request whose id was truncated to 128 characters when it was stored', async () => {
    const casey = await newcomer(storage, 'Casey');
    const long = Array.from({ length: 900 }, (_, index) => index.toString(36)).join('%');
    await ask(storage, casey, { requestId: long.slice(0, 128) });
    expect(JSON.parse(await admin('find-request', long, '--json')).messages).to.have.length(1);
  });

  it('prints at most --limit rows if a client has used the same id repeatedly', async () => {
    const blake = await newcomer(storage, 'Blake');
    for (let turn = 0; turn < 4; turn += 1) await ask(storage, blake, { requestId: 'always', content: `${turn}` });
    const { text, notice } = await runCommandLine(storage.administration, [
      'find-request',
      'always',
      '--json',
      '--limit=3',
    ]);
    expect(JSON.parse(text).messages).to.have.length(3);
    expect(notice).to.equal('There are more rows. Increase --limit to show them.');

    for (let times = 0; times < 2; times += 1) {
      await storage.database.users.signOut(blake.userId, null, { requestId: 'leaving', addressHash: 'x' });
    }
    const found = await runCommandLine(storage.administration, ['find-request', 'leaving', '--json', '--limit=1']);
    expect(JSON.parse(found.text).events).to.have.length(1);
    expect(found.notice).to.equal(notice);
  });

  it('reports that nothing is stored, and records the search in the audit trail', async () => {
    const { message } = await refusal(admin('find-request', 'never seen'));
    expect(message).to.equal('Nothing is stored for the request never seen. Requests of demo chat are never stored.');
    expect(await actions()).to.deep.equal([{ action: 'find-request', subject: 'never seen' }]);
  });
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `u${from + index}`);
