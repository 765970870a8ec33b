import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { copiedTables } from '../../../server/database/operators/copy.ts';
import type { Scope } from '../../../server/database/tenant.ts';
import { signInDetails } from '../../support/people.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from '../database/scenes.ts';
import { runForText } from './run-command-line.ts';

const storage = perSuite(() => createTestDatabase());
beforeEach(() => storage.rows('delete from audit_events'));

const admin = (words: readonly string[], retainDays?: number) =>
  runForText(storage.administration, words, { retainDays });

/** Creates a user with rows in every table that refers to users. The texts contain `mark`. */
async function resident(mark: string): Promise<Scope> {
  const scope = await newcomer(storage, mark);
  const { userId, orgId } = scope;
  const { conversationId } = await ask(storage, scope, {
    content: `Question of ${mark} "\\ \u{1F600}`,
    requestId: mark,
  });
  await storage.database.turns.close({ ...answerIn(conversationId, scope), id: `answer to ${mark}` });
  await storage.administration.setEngagementState(userId, {
    week: 3,
    focus: `Focus of ${mark}`,
    hypotheses: [],
    unknowns: [],
    findings: [],
  });
  await storage.rows(`insert into token_uses values (?, ?, ?, 7, true, now())`, [`use of ${mark}`, orgId, userId]);
  await storage.rows(`insert into sessions (sid, sess, expire, user_id) values (?, ?, now(), ?)`, [
    `session secret of ${mark}`,
    JSON.stringify({ userId, more: `cookie secret of ${mark}` }),
    userId,
  ]);
  const { id } = await storage.administration.invite({ days: 1, note: `Note on ${mark}`, organization: orgId });
  await storage.rows('update invitations set used_by = ?, token_hash = ? where id = ?', [
    userId,
    `token secret of ${mark}`,
    id,
  ]);
  return scope;
}

/** Returns the tables with this column, except chat_messages, whose rows belong to conversations. */
async function tablesWith(column: string): Promise<string[]> {
  const rows = await storage.rows(
    `select table_name from information_schema.columns
      where table_schema = 'public' and column_name = ? and table_name <> 'chat_messages'
      order by 1`,
    [column],
  );
  return rows.map(({ table_name }) => String(table_name));
}

describe('export-user', () => {
  it('exports all rows of the user from every table, and no rows of other users', async () => {
    const avery = await resident('Avery');
    await resident('Blake');
    const exported = JSON.parse(await admin(['export-user', avery.userId]));

    expect(exported.user).to.include({ id: avery.userId, name: 'Avery', org_id: avery.orgId });
    const tables = (await tablesWith('user_id')).filter((table) => table !== 'member_token_sums');
    for (const table of tables) expect(exported[table], table).to.have.length(1);
    expect(exported.identities[0]).to.include({ provider: 'google', subject: 'Avery' });
    expect(exported.engagement_states[0]).to.include({ week: 3, focus: 'Focus of Avery' });
    expect(exported.invitations[0]).to.include({ note: 'Note on Avery' });
    const [{ messages }] = exported.conversations;
    expect(messages.map(({ content }: { content: string }) => content)).to.deep.equal([
      'Question of Avery "\\ \u{1F600}',
      'With the longest wait.',
    ]);
    const actions = exported.audit_events.map(({ action }: { action: string }) => action);
    expect(actions).to.deep.equal(['signed-up', 'set-engagement', 'export-user']);
    expect(JSON.stringify(exported)).not.to.include('Blake');
  });

  it('does not export session data or tokens', async () => {
    const { userId } = await resident('Casey');
    expect(await admin(['export-user', userId])).not.to.match(/(session|cookie|token) secret/);
  });

  it('exports any number of conversations and messages of any size in order, also conversations without messages', async () => {
    const devon = await newcomer(storage, 'Devon');
    const id = (conversation: string) => `'devon ' || to_char(${conversation}, 'FM0000')`;
    await storage.rows(
      `insert into conversations (id, org_id, user_id) select ${id('number')}, ?, ? from generate_series(1, 1200) number`,
      [devon.orgId, devon.userId],
    );
    // Every third conversation has no messages, the hundredth has many, and the last ones have large ones.
    await storage.rows(
      `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id)
         select ${id('conversation')} || ' ' || number, ?, ?, ${id('conversation')}, 'USER',
                rpad(number::text, case when conversation > 1190 then 900000 else 1 end, '.'), 'request'
           from generate_series(1, 1200) conversation,
                generate_series(1, case when conversation % 3 = 0 then 0 when conversation = 100 then 1205 else 2 end) number`,
      [devon.orgId, devon.userId],
    );
    const stored = await storage.rows(
      `select conversations.id, coalesce(array_to_json(array(
                select chat_messages.id from chat_messages where conversation_id = conversations.id order by position
              )), '[]')::text as messages
         from conversations where user_id = ? order by conversations.id`,
      [devon.userId],
    );
    type Exported = { conversation: { id: string }; messages: readonly { id: string }[] };
    const { conversations }: { conversations: Exported[] } = JSON.parse(await admin(['export-user', devon.userId]));
    const exported = conversations.map(({ conversation, messages }) => ({
      id: conversation.id,
      messages: JSON.stringify(messages.map((message) => message.id)),
    }));
    expect(exported).to.deep.equal(stored);
  });
});

describe('export-organization', () => {
  it('exports everything about the organization and what its members wrote in it', async () => {
    const ellis = await resident('Ellis');
    const former = await resident('Former');
    await storage.administration.moveUser(former.userId, ellis.orgId);
    await ask(storage, { ...former, orgId: ellis.orgId }, { content: 'Asked while a member' });
    await storage.administration.moveUser(former.userId, former.orgId);

    const exported = JSON.parse(await admin(['export-organization', ellis.orgId]));
    expect(exported.organization).to.include({ id: ellis.orgId });
    expect(exported.invitations).to.have.length(1);
    const known = Object.fromEntries(
      exported.members.map((member: { membership: { user_id: string } }) => [member.membership.user_id, member]),
    );
    expect(Object.keys(known)).to.have.members([ellis.userId, former.userId]);
    expect(known[ellis.userId].users).to.have.length(1);
    for (const table of ['engagement_states', 'token_uses', 'conversations']) {
      expect(known[ellis.userId][table], table).to.have.length(1);
    }
    const left = known[former.userId];
    for (const table of ['users', 'engagement_states', 'token_uses']) {
      expect(left[table], `${table}, in their own organization`).to.deep.equal([]);
    }
    expect(left.conversations[0].messages[0]).to.include({ content: 'Asked while a member' });
    expect(JSON.stringify(exported))
      .not.to.include('Question of Former')
      .and.not.match(/(session|cookie|token) secret/);
    const [last] = exported.audit_events.slice(-1);
    expect(last).to.include({ action: 'export-organization', subject: ellis.orgId });
  });

  it('reports an unknown id and records no audit event', async () => {
    const { message } = await refusal(admin(['export-organization', 'nowhere']));
    expect(message).to.equal('There is no organization nowhere.');
    expect(await storage.rows('select action from audit_events')).to.deep.equal([]);
  });
});

describe('delete-organization', () => {
  const remaining = async (orgId: string) => {
    const left: string[] = [];
    for (const table of await tablesWith('org_id')) {
      if ((await storage.rows(`select 1 from ${table} where org_id = ?`, [orgId])).length > 0) left.push(table);
    }
    return left;
  };

  it('deletes the data and users of the organization, but moves users who also have another organization to that one', async () => {
    const [deleted, guest, colleague, neighbour] = [
      await resident('Gone'),
      await resident('Guest'),
      await resident('Colleague'),
      await resident('Neighbour'),
    ];
    await storage.administration.moveUser(guest.userId, deleted.orgId);
    await storage.administration.moveUser(colleague.userId, deleted.orgId);
    await ask(storage, { ...colleague, orgId: deleted.orgId });
    await storage.administration.moveUser(colleague.userId, colleague.orgId);

    expect(await admin(['delete-organization', deleted.orgId, '--yes'])).to.equal(
      `Deleted organization ${deleted.orgId}: 1 user deleted, 1 user moved.`,
    );
    expect(await remaining(deleted.orgId)).to.deep.equal([]);
    expect(await storage.rows('select id from organizations where id = ?', [deleted.orgId])).to.deep.equal([]);
    expect(await storage.rows('select id from invitations where joins = ?', [deleted.orgId])).to.deep.equal([]);
    for (const table of await tablesWith('user_id')) {
      expect(await storage.rows(`select 1 from ${table} where user_id = ?`, [deleted.userId]), table).to.deep.equal([]);
    }
    for (const { userId, orgId } of [guest, colleague, neighbour]) {
      expect(await storage.rows('select org_id from users where id = ?', [userId])).to.deep.equal([{ org_id: orgId }]);
      expect(await remaining(orgId)).to.include.members(['conversations', 'engagement_states', 'token_uses', 'users']);
    }
    const trail = await storage.rows(`select subject from audit_events where action = 'delete-organization'`);
    expect(trail).to.deep.equal([{ subject: deleted.orgId }]);
  });

  it('moves a user with several other organizations to the one that the user joined last', async () => {
    const [deleted, one, other] = [await resident('Closed'), await resident('One'), await resident('Other')];
    for (const [guest, host] of [
      [one, other],
      [other, one],
    ] as const) {
      await storage.administration.moveUser(guest.userId, host.orgId);
      await storage.administration.moveUser(guest.userId, deleted.orgId);
    }

    await admin(['delete-organization', deleted.orgId, '--yes']);
    const organizationOf = ({ userId }: Scope) => storage.rows('select org_id from users where id = ?', [userId]);
    expect(await organizationOf(one)).to.deep.equal([{ org_id: other.orgId }]);
    expect(await organizationOf(other)).to.deep.equal([{ org_id: one.orgId }]);
  });

  it('refuses turns and sign-ins of the members from the start of the deletion, and can be run again after an interruption', async () => {
    const [member, guest] = [await resident('Interrupted'), await resident('Spared')];
    await storage.administration.moveUser(guest.userId, member.orgId);
    await storage.rows('alter table token_uses rename to unavailable');
    await refusal(admin(['delete-organization', member.orgId, '--yes'])).finally(() =>
      storage.rows('alter table unavailable rename to token_uses'),
    );
    expect(await storage.rows('select sid from sessions where user_id = ?', [member.userId])).to.deep.equal([]);
    expect(await refusal(ask(storage, member))).to.include({ code: 'UNAUTHENTICATED' });
    const again = signInDetails({ subject: 'Interrupted', name: 'Interrupted', email: null });
    expect(await storage.database.users.signIn(again)).to.include({ refusal: 'suspended' });

    expect(await admin(['delete-organization', member.orgId, '--yes'])).to.include('1 user deleted, 0 users moved.');
    expect(await remaining(member.orgId)).to.deep.equal([]);
    expect(await ask(storage, guest)).to.have.property('conversationId');
    const trail = await storage.rows('select action from audit_events where subject = ? order by position', [
      member.orgId,
    ]);
    expect(trail.map(({ action }) => action)).to.deep.equal([
      'delete-organization',
      'delete-organization',
      'deleted-organization',
    ]);
  });
});

describe('prune', () => {
  it('deletes old conversations in batches, prints their number and records an audit event', async () => {
    const avery = await newcomer(storage, 'Pruned');
    await storage.rows(
      `insert into conversations (id, org_id, user_id, last_message_at, created_at)
         select 'old' || number, ?, ?, now() - interval '31 days', now() - interval '40 days'
           from generate_series(1, 205) number`,
      [avery.orgId, avery.userId],
    );
    const { conversationId } = await ask(storage, avery);
    expect(await admin(['prune'], 30)).to.equal('Deleted 205 conversations.');
    expect(await storage.rows('select id from conversations where user_id = ?', [avery.userId])).to.deep.equal([
      { id: conversationId },
    ]);
    const trail = await storage.rows(
      `select action, actor, details ->> 'conversations' as conversations from audit_events
        where action like 'prune%' order by position`,
    );
    expect(trail).to.deep.equal([
      { action: 'prune', actor: 'operator of the tests', conversations: null },
      ...['100', '100', '5'].map((conversations) => ({
        action: 'pruned',
        actor: 'operator of the tests',
        conversations,
      })),
    ]);
    expect(await admin(['prune'], 30)).to.equal('Deleted 0 conversations.');
  });

  it('is refused if RETAIN_DAYS is not set', async () => {
    expect((await refusal(admin(['prune']))).message).to.equal(
      'RETAIN_DAYS is not set, so conversations are retained indefinitely.',
    );
  });
});

describe('copy-to', () => {
  it('is refused if DATABASE_URL is set', async () => {
    const words = ['copy-to', 'postgresql://127.0.0.1:9/target'];
    const databaseUrl = 'postgresql://127.0.0.1:9/source';
    const { message } = await refusal(runForText(storage.administration, words, { databaseUrl }));
    expect(message).to.match(/^copy-to copies the embedded database, but DATABASE_URL is set\./);
  });

  it('covers every table except the migrations table and the sums, which triggers maintain', async () => {
    const tables = await storage.rows(
      `select tablename as name from pg_tables
        where schemaname = 'public' and tablename <> 'schema_migrations' and tablename not like '%_sums'`,
    );
    expect(tables.map(({ name }) => name)).to.have.members([...copiedTables]);
  });
});
