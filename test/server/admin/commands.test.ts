import { expect } from 'chai';
import { describe, it } from 'mocha';
import { commands } from '../../../server/admin/commands.ts';
import { findPerson, signIn, signInDetails } from '../../support/people.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { refusal } from '../database/scenes.ts';
import { runForText } from './run-command-line.ts';

let subjects = 0;

const storage = perSuite(() => createTestDatabase());

const admin = (...words: string[]) => runForText(storage.administration, words);
const refusalOf = async (...words: string[]) => (await refusal(admin(...words))).message;

type Member = Awaited<ReturnType<typeof person>>;

async function person(name: string | null = null) {
  subjects += 1;
  return signIn(storage.database, { provider: 'google', subject: String(subjects), name, email: null });
}

async function ask({ id: userId, organization }: Member) {
  const scope = { userId, orgId: organization.id, requestId: 'request' };
  return storage.database.turns.open({ ...scope, conversationId: undefined, content: 'Where do we start?' });
}

const count = async (table: string, column: string, value: string) =>
  (await storage.rows(`select 1 from ${table} where ${column} = ?`, [value])).length;

describe('list-users and list-organizations', () => {
  it('print JSON with --json, and otherwise a column for each field', async () => {
    const { id, organization } = await person('Devon Example');
    const account = String(subjects);
    const dates = ['2026-02-03', '2026-03-04'];
    const times = dates.map((date) => `${date}T12:00Z`);
    await storage.rows('update users set onboarded_at = ?, suspended_at = ? where id = ?', [...times, id]);
    await admin('describe-organization', organization.id, '--industry', 'Foundry');
    const objectOf = async (list: string, rowId: string) =>
      JSON.parse(await admin(list, '--json')).find((row: { id: string }) => row.id === rowId);
    const rowOf = async (list: string, rowId: string) => {
      const rows = (await admin(list)).split('\n').map((line) => line.split(/ {2,}/));
      return rows.find(([first]) => first === rowId);
    };
    const name = 'Devon Example’s organization';
    const { onboardedAt, suspendedAt, ...listed } = await objectOf('list-users', id);
    expect([onboardedAt, suspendedAt].map((at) => new Date(at).toISOString().slice(0, 10))).to.deep.equal(dates);
    expect(listed).to.deep.equal({
      ...{ id, name: 'Devon Example', email: null, emailVerified: false, provider: 'google', subject: account },
      organization: { id: organization.id, name },
    });
    expect(await rowOf('list-users', id)).to.deep.equal([
      ...[id, 'Devon Example', '-', 'no', 'google', account, ...dates, organization.id, name],
    ]);
    const described = { id: organization.id, name, industry: 'Foundry', users: 1 };
    expect(await objectOf('list-organizations', organization.id)).to.deep.equal(described);
    expect(await rowOf('list-organizations', organization.id)).to.deep.equal([organization.id, name, 'Foundry', '1']);
  });
});

describe('describe-organization', () => {
  it('sets the given fields and preserves the others', async () => {
    const { organization } = await person('Casey Example');
    const described = () =>
      storage.rows('select name, industry, size from organizations where id = ?', [organization.id]);

    await admin('describe-organization', organization.id, '--industry', 'Foundry', '--size', '40 people');
    await admin('describe-organization', organization.id, '--size', '50 people');

    const kept = { industry: 'Foundry', size: '50 people' };
    expect(await described()).to.deep.equal([{ name: 'Casey Example’s organization', ...kept }]);
    await admin('describe-organization', organization.id, '--name', 'Casey Castings');
    expect(await described()).to.deep.equal([{ name: 'Casey Castings', ...kept }]);
  });
});

describe('a text that an operator writes', () => {
  for (const [words, sentence] of [
    [['describe-organization', 'some', '--name', ''], '--name must not be blank.'],
    [['describe-organization', 'some', '--name', '   '], '--name must not be blank.'],
    [['describe-organization', 'some', '--industry', '\u200b'], '--industry must not be blank.'],
    [['describe-organization', 'some', '--name', 'n'.repeat(201)], '--name can have at most 200 characters.'],
    [['describe-organization', 'some', '--size', 's'.repeat(101)], '--size can have at most 100 characters.'],
    [['invite', '--note', ' '], '--note must not be blank.'],
    [['invite', '--note', 'n'.repeat(201)], '--note can have at most 200 characters.'],
  ] as const) {
    it(`is refused in ${words[0]}: ${sentence}`, async () => {
      expect(await refusalOf(...words)).to.equal(sentence);
    });
  }

  it('is trimmed; an empty size removes the stored size', async () => {
    const { organization } = await person('Casey Example');
    await admin('describe-organization', organization.id, '--industry', ' Foundry ', '--size', '40 people');
    await admin('describe-organization', organization.id, '--size', '');
    const described = await storage.rows('select industry, size from organizations where id = ?', [organization.id]);
    expect(described).to.deep.equal([{ industry: 'Foundry', size: null }]);
  });
});

describe('list-users and list-organizations with budgets', () => {
  /** Returns the output of the command with budgets of 1,000 tokens per user and 1,500 per organization. */
  const adminWithBudgets = (...words: string[]) =>
    runForText(storage.administration, words, { budgets: { user: 1000, organization: 1500 } });
  const use = (id: string, { id: userId, organization }: Member, tokens: number, age: string, settled = true) => {
    const values = [id, organization.id, userId, tokens, settled, age];
    return storage.rows(`insert into token_uses values (?, ?, ?, ?, ?, now() - ?::interval)`, values);
  };

  it('print the remaining tokens, at least 0', async () => {
    const [avery, casey, devon] = [await person(), await person(), await person()];
    await admin('move-user', casey.id, avery.organization.id);
    const moved = { ...casey, organization: avery.organization };
    await use('older than a day', avery, 900, '25 hours');
    await use('first', avery, 200, '23 hours');
    await use('second', avery, 300, '1 hour');
    await use('third', moved, 1400, '1 hour');
    await use('in the organization that Casey has left', casey, 600, '1 hour');
    await admin('move-user', devon.id, avery.organization.id);
    await use('in the organization that Devon has left', { ...devon, organization: avery.organization }, 300, '1 hour');
    await admin('move-user', devon.id, devon.organization.id);
    await use('of a process that ended during the turn', devon, 100, '61 minutes', false);
    await use('of a turn in flight', devon, 10, '59 minutes', false);

    const leftIn = async (list: string, ids: readonly string[]) => {
      const rows: { id: string; tokensLeft: number }[] = JSON.parse(await adminWithBudgets(list, '--json'));
      return ids.map((id) => rows.find((row) => row.id === id)?.tokensLeft);
    };
    expect(await leftIn('list-users', [avery.id, casey.id, devon.id])).to.deep.equal([500, 0, 990]);
    const organizationIds = [avery.organization.id, casey.organization.id];
    expect(await leftIn('list-organizations', organizationIds)).to.deep.equal([0, 900]);
  });

  it('print a column for remaining tokens only if a budget is set', async () => {
    for (const list of ['list-users', 'list-organizations']) {
      expect((await adminWithBudgets(list)).split('\n')[0], list).to.match(/ TOKENS LEFT$/);
      expect(await admin(list), list).not.to.include('TOKENS LEFT');
    }
  });
});

describe('onboard and unonboard', () => {
  it('set whether the user is onboarded', async () => {
    const { id } = await person();
    await admin('onboard', id);
    expect(await findPerson(storage, id)).to.include({ onboarded: true });
    await admin('unonboard', id);
    expect(await findPerson(storage, id)).to.include({ onboarded: false });
  });
});

describe('move-user', () => {
  it('moves the user, and leaves conversations with the old organization', async () => {
    const mover = await person();
    const { organization } = await person();
    const { conversationId } = await ask(mover);
    await admin('set-engagement', mover.id, '--week', '7');

    await admin('move-user', mover.id, organization.id);
    expect((await findPerson(storage, mover.id))?.organization.id).to.equal(organization.id);
    const conversations = await storage.rows('select org_id from conversations where id = ?', [conversationId]);
    expect(conversations).to.deep.equal([{ org_id: mover.organization.id }]);
    expect(await storage.administration.engagementState(mover.id)).to.equal(null);

    await admin('move-user', mover.id, mover.organization.id);
    expect(await storage.administration.engagementState(mover.id)).to.include({ week: 7 });
  });

  it('refuses an organization that does not exist', async () => {
    const { id, organization } = await person();
    expect(await refusalOf('move-user', id, 'nowhere')).to.equal('There is no organization nowhere.');
    expect((await findPerson(storage, id))?.organization.id).to.equal(organization.id);
  });
});

describe('invite, list-invitations and revoke-invitation', () => {
  /** Creates an invitation, and returns its token, its id and the days until it expires. */
  async function invite(...options: string[]) {
    const printed = await admin('invite', ...options);
    const found =
      /^https:\/\/chat\.example\.com\/sign-in\?invitation=([\w-]{43})\nCreated invitation (\w+)\. It expires at (\S+)\.$/.exec(
        printed,
      );
    if (found === null) throw new Error(printed);
    const [, token = '', id = '', expiresAt = ''] = found;
    return { token, id, days: (Date.parse(expiresAt) - Date.now()) / 86_400_000 };
  }

  it('create a link that leads to the organization, and print who has used it', async () => {
    const { organization } = await person();
    const { token, id } = await invite('--organization', organization.id, '--note', 'For planning');
    const times = `created_at = '2098-01-02T12:00Z', expires_at = '2099-03-04T12:00Z'`;
    await storage.rows(`update invitations set ${times} where id = ?`, [id]);
    const listed = async () => (await admin('list-invitations')).split('\n').map((line) => line.split(/ {2,}/));
    const [headings, unused] = await listed();
    expect(headings?.join(', ')).to.equal('INVITATION ID, CREATED, EXPIRES, USED, USED BY, ORGANIZATION ID, NOTE');
    const dates = ['2098-01-02', '2099-03-04'];
    expect(unused).to.deep.equal([id, ...dates, 'no', '-', organization.id, 'For planning']);

    const invited = { provider: 'google', subject: token, name: null, email: null, invitation: token };
    const user = await signIn(storage.database, { ...invited, maySignUp: false });
    expect(user.organization.id).to.equal(organization.id);
    const [, used] = await listed();
    expect(used?.[3]).to.match(/^\d{4}-\d\d-\d\d$/);
    expect(used?.slice(4)).to.deep.equal([user.id, organization.id, 'For planning']);
  });

  it('create a link that expires after 14 days, or after the number of days in --days', async () => {
    expect((await invite()).days).to.be.closeTo(14, 0.01);
    expect((await invite('--days', '3')).days).to.be.closeTo(3, 0.01);
    for (const days of ['0', '-1', '1.5', '10000', 'two']) {
      expect(await refusalOf('invite', `--days=${days}`)).to.equal('--days must be a whole number from 1 to 9999.');
    }
  });

  it('refuse an organization that does not exist and an invitation that was revoked', async () => {
    expect(await refusalOf('invite', '--organization', 'nowhere')).to.equal('There is no organization nowhere.');
    const { id } = await invite();
    await admin('revoke-invitation', id);
    expect(await count('invitations', 'id', id)).to.equal(0);
    expect(await refusalOf('revoke-invitation', id)).to.equal(`There is no invitation ${id}.`);
  });
});

describe('commands about the access of a user', () => {
  const returns = async (subject: string) => {
    const result = await storage.database.users.signIn(signInDetails({ subject, name: null, email: null }));
    return 'refusal' in result ? result.refusal : result.action;
  };
  const begin = (sid: string, { id }: { id: string }) =>
    storage.rows(`insert into sessions (sid, sess, expire, user_id) values (?, '{}', now(), ?)`, [sid, id]);

  it('suspend-user ends the sessions and refuses sign-ins until restore-user is run; running it twice keeps the first date', async () => {
    const user = await person();
    const subject = String(subjects);
    await begin('of a suspended user', user);
    expect(await admin('suspend-user', user.id)).to.equal(`Suspended user ${user.id}.`);
    expect(await count('sessions', 'user_id', user.id)).to.equal(0);
    await storage.rows(`update users set suspended_at = '2026-01-02' where id = ?`, [user.id]);
    await admin('suspend-user', user.id);
    const listed: { id: string; suspendedAt: string }[] = JSON.parse(await admin('list-users', '--json'));
    expect(listed.find(({ id }) => id === user.id)?.suspendedAt).to.match(/^2026-01-0[12]/);
    expect(await returns(subject)).to.equal('suspended');

    expect(await admin('restore-user', user.id)).to.equal(`Restored user ${user.id}.`);
    expect(await returns(subject)).to.equal('signed-in');
  });

  it('sign-out-user ends the sessions of the user only, and prints their number', async () => {
    const [user, other] = [await person(), await person()];
    for (const sid of ['one', 'two']) await begin(sid, user);
    await begin('of another user', other);
    expect(await admin('sign-out-user', user.id)).to.equal(`Signed out user ${user.id}: 2 sessions ended.`);
    expect(await count('sessions', 'user_id', user.id)).to.equal(0);
    expect(await admin('sign-out-user', other.id)).to.equal(`Signed out user ${other.id}: 1 session ended.`);
  });

  it('delete-user lets the account sign up again, except with --block until unblock-account is run', async () => {
    const { id } = await person();
    const subject = String(subjects);
    expect(await admin('delete-user', id, '--yes')).to.equal(`Deleted user ${id}.`);
    expect(await returns(subject)).to.equal('signed-up');
    const [again] = await storage.rows('select user_id from identities where subject = ?', [subject]);
    const blocked = String(again?.user_id);
    const advice = `To let it sign up again, use:\n  unblock-account google ${subject}`;
    const deleted = await admin('delete-user', blocked, '--yes', '--block');
    expect(deleted).to.equal(`Deleted user ${blocked} and blocked the account. ${advice}`);
    expect(await returns(subject)).to.equal('suspended');

    expect(await admin('unblock-account', 'google', subject)).to.equal(`Unblocked account ${subject} at google.`);
    expect(await returns(subject)).to.equal('signed-up');
    const notBlocked = `The account ${subject} at google is not blocked.`;
    expect(await refusalOf('unblock-account', 'google', subject)).to.equal(notBlocked);
  });
});

describe('delete-user', () => {
  it('deletes what the user wrote and organizations without other members, and nothing of other users', async () => {
    const [leaver, colleague] = [await person(), await person()];
    await ask(leaver);
    await ask(colleague);
    await admin('move-user', leaver.id, colleague.organization.id);
    await admin('set-engagement', leaver.id, '--week', '2');
    const use = `insert into token_uses values ('use', ?, ?, 1, true, now())`;
    await storage.rows(use, [leaver.organization.id, leaver.id]);

    await admin('delete-user', leaver.id, '--yes');
    const tables = ['identities', 'memberships', 'engagement_states', 'conversations', 'chat_messages', 'token_uses'];
    for (const table of tables) expect(await count(table, 'user_id', leaver.id), table).to.equal(0);
    expect(await findPerson(storage, leaver.id)).to.equal(null);
    expect(await count('organizations', 'id', leaver.organization.id)).to.equal(0);
    expect(await count('organizations', 'id', colleague.organization.id)).to.equal(1);
    expect(await count('chat_messages', 'user_id', colleague.id)).to.equal(1);
  });
});

describe('npm run admin', () => {
  it('show-engagement reports a missing state', async () => {
    const { id } = await person();
    const missing = `The user ${id} has no engagement state. Use set-engagement to create one.`;
    expect(await refusalOf('show-engagement', id)).to.equal(missing);
  });

  for (const [name, { operands }] of Object.entries(commands)) {
    const [, kind] = /^(user|organization|invitation)Id$/.exec(operands[0] ?? '') ?? [];
    if (kind === undefined) continue;
    it(`${name} reports an unknown ${kind} id`, async () => {
      const words = ['nobody', 'nowhere'].slice(0, operands.length);
      const options: Record<string, string[]> = {
        ...{ 'set-engagement': ['--week', '1'], 'describe-organization': ['--size', '1'] },
        ...{ 'delete-user': ['--yes'], 'delete-organization': ['--yes'] },
      };
      expect(await refusalOf(name, ...words, ...(options[name] ?? []))).to.equal(`There is no ${kind} nobody.`);
    });
  }
});
