import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { type PruneResult, startRetention } from '../../../../server/database/serving/retention.ts';
import type { Scope } from '../../../../server/database/tenant.ts';
import { perTest } from '../../../support/per-suite.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { answerIn, ask, newcomer, refusal } from '../scenes.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('retention', () => {
  let clock: Clock;
  let retention: ReturnType<typeof startRetention>;
  let lines: Record<string, unknown>[];
  let batches: { at: Date; retainDays: number; operator: string; maxMessages: number }[];
  let answers: (number | PruneResult | null | Error)[];

  beforeEach(() => {
    clock = install({
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
      shouldClearNativeTimers: true,
      now: Date.parse('2026-11-21T09:00:00Z'),
    });
    lines = [];
    batches = [];
    answers = [];
  });
  afterEach(async () => {
    await retention.stop();
    clock.uninstall();
  });

  const start = () => {
    retention = startRetention({
      retainDays: 30,
      logger: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
      async prune(retainDays, operator, maxMessages) {
        batches.push({ at: new Date(), retainDays, operator, maxMessages });
        const answer = answers.length > 0 ? answers.shift() : 0;
        if (answer instanceof Error) throw answer;
        if (answer === undefined) throw new Error('No answer is left.');
        return typeof answer === 'number' ? { conversations: answer, messages: 2 * answer } : answer;
      },
    });
  };

  it('runs one minute after the start and then once an hour', async () => {
    start();
    await clock.tickAsync(minute - 1);
    expect(batches).to.deep.equal([]);
    await clock.tickAsync(1);
    await clock.tickAsync(2 * hour);
    expect(batches).to.deep.equal(
      ['2026-11-21T09:01:00Z', '2026-11-21T10:01:00Z', '2026-11-21T11:01:00Z'].map((at) => ({
        at: new Date(at),
        retainDays: 30,
        operator: 'service',
        maxMessages: 2_000,
      })),
    );
    expect(lines).to.deep.equal([]);
  });

  it('deletes old conversations in batches with pauses until none remains, and logs the total of each hour', async () => {
    answers = [100, 100, 7, 0];
    start();
    await clock.tickAsync(minute);
    expect(batches).to.have.length(1);
    await clock.tickAsync(99);
    expect(batches).to.have.length(1);
    await clock.tickAsync(1_000);
    expect(batches).to.have.length(4);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ msg: 'old conversations deleted', conversations: 207, retainDays: 30 });
    answers = [5, 0];
    await clock.tickAsync(hour);
    expect(lines.slice(1).map(({ conversations }) => conversations)).to.deep.equal([5]);
  });

  it('continues after a batch with only a part of a conversation', async () => {
    answers = [{ conversations: 0, messages: 2_000 }, 1, 0];
    start();
    await clock.tickAsync(minute + 1_000);
    expect(batches).to.have.length(3);
    expect(lines.map(({ conversations }) => conversations)).to.deep.equal([1]);
  });

  it('halves its batches each time that the server cancels one, and keeps the smaller size', async () => {
    const canceled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    answers = [canceled, canceled, 5, 0];
    start();
    await clock.tickAsync(minute + hour + 1_000);
    expect(batches.map(({ maxMessages }) => maxMessages)).to.deep.equal([2_000, 1_000, 500, 500, 500]);
    expect(lines.slice(0, 2)).to.have.nested.property('[1].mostMessages', 1_000);
  });

  it('gives up until the next hour if the server cancels the smallest batch', async () => {
    answers = Array.from({ length: 11 }, () => Object.assign(new Error('canceled'), { code: '57014' }));
    start();
    await clock.tickAsync(minute + 30 * minute);
    expect(batches.map(({ maxMessages }) => maxMessages).slice(-2)).to.deep.equal([3, 1]);
    await clock.tickAsync(31 * minute);
    expect(batches).to.have.length(12);
  });

  it('reports when a batch last succeeded, or when the retention started if none has succeeded', async () => {
    answers = [0, new Error('connect ECONNREFUSED'), null, 0];
    start();
    const startedAt = Date.now() / 1000;
    const ages: number[] = [];
    for (const wait of [minute / 2, minute / 2, hour, hour, hour]) {
      await clock.tickAsync(wait);
      ages.push(retention.lastSuccessSeconds - startedAt);
    }
    expect(ages).to.deep.equal([0, 60, 60, 60, 3 * 3600 + 60]);
  });

  for (const [title, answer] of [
    ['another process is pruning', null],
    ['the database does not answer', new Error('connect ECONNREFUSED')],
  ] as const) {
    it(`waits for the next hour if ${title}`, async () => {
      answers = [answer];
      start();
      await clock.tickAsync(minute + hour - 1);
      expect(batches).to.have.length(1);
      await clock.tickAsync(1);
      expect(batches).to.have.length(2);
      expect(lines.map(({ msg }) => msg)).to.deep.equal(answer === null ? [] : ['failed to delete old conversations']);
    });
  }

  it('runs no further batch once it is stopped between batches', async () => {
    answers = [100, 100];
    start();
    await clock.tickAsync(minute);
    await retention.stop();
    await clock.tickAsync(3 * hour);
    expect(batches).to.have.length(1);
    expect(clock.countTimers()).to.equal(0);
  });

  it('waits for the running batch and starts no further one if it is stopped during a batch', async () => {
    const batch = Promise.withResolvers<PruneResult>();
    retention = startRetention({
      retainDays: 30,
      logger: pino({ level: 'silent' }),
      prune: () => batch.promise,
    });
    await clock.tickAsync(minute);
    let isStopped = false;
    const stopped = retention.stop().then(() => {
      isStopped = true;
    });
    await clock.tickAsync(hour);
    expect(isStopped).to.equal(false);
    batch.resolve({ conversations: 100, messages: 200 });
    await stopped;
    expect(clock.countTimers()).to.equal(0);
  });
});

describe('prune', () => {
  const storage = perTest(() => createTestDatabase());
  const avery = perTest(() => newcomer(storage, 'Avery'));
  const casey = perTest(() => newcomer(storage, 'Casey'));

  /** Creates a conversation with a question and optionally an answer, of the given ages in days. */
  async function conversation(scope: Scope, { asked, answered }: { asked: number; answered?: number }) {
    const { conversationId } = await ask(storage, scope);
    const age = (role: string, days: number) =>
      storage.rows(
        `update chat_messages set created_at = now() - ? * interval '1 day' where conversation_id = ? and role = ?`,
        [days, conversationId, role],
      );
    await age('USER', asked);
    if (answered !== undefined) {
      await storage.database.turns.close({ ...answerIn(conversationId, scope), id: `answer in ${conversationId}` });
      await age('ASSISTANT', answered);
    }
    await storage.rows(
      `update conversations set created_at = now() - ? * interval '1 day',
          last_message_at = (select max(created_at) from chat_messages where conversation_id = conversations.id and role = 'ASSISTANT')
        where id = ?`,
      [asked, conversationId],
    );
    return conversationId;
  }

  const prune = async (retainDays = 30) => (await storage.database.prune(retainDays, 'service'))?.conversations;
  const remainingIds = async () => (await storage.rows('select id from conversations')).map(({ id }) => String(id));

  it('deletes conversations whose last message is past the retention period, with their messages, in all organizations', async () => {
    await conversation(avery, { asked: 40, answered: 31 });
    await conversation(casey, { asked: 31 });
    const retainedIds = [
      await conversation(avery, { asked: 29, answered: 29 }),
      await conversation(casey, { asked: 40, answered: 29 }),
    ];
    expect(await prune()).to.equal(2);
    expect(await remainingIds()).to.have.members(retainedIds);
    expect(await storage.rows('select 1 from chat_messages')).to.have.length(4);
    expect(await prune()).to.equal(0);
  });

  it('retains an old conversation with a recent question that is not answered yet', async () => {
    const old = await conversation(avery, { asked: 40, answered: 31 });
    await ask(storage, avery, { conversationId: old, content: 'And now?', requestId: 'request 2' });
    expect(await prune()).to.equal(0);
    expect(await remainingIds()).to.deep.equal([old]);
  });

  it('deletes the oldest conversation first, in parts if it has more messages than a batch, oldest messages first', async () => {
    await conversation(casey, { asked: 31 });
    const large = await conversation(avery, { asked: 40, answered: 39 });
    await storage.rows(
      `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id, created_at)
         select 'm' || number, ?, ?, ?, 'USER', number::text, 'request', now() - interval '38 days' from generate_series(1, 5) number`,
      [avery.orgId, avery.userId, large],
    );
    const batch = () => storage.database.prune(30, 'service', 3);
    expect(await batch()).to.deep.equal({ conversations: 0, messages: 3 });
    const remaining = await storage.rows(
      'select content from chat_messages where conversation_id = ? order by position',
      [large],
    );
    expect(remaining.map(({ content }) => content)).to.deep.equal(['2', '3', '4', '5']);
    expect(await batch()).to.deep.equal({ conversations: 0, messages: 3 });
    expect(await batch()).to.deep.equal({ conversations: 2, messages: 2 });
    expect(await batch()).to.deep.equal({ conversations: 0, messages: 0 });
    const trail = await storage.rows(
      `select details ->> 'conversations' as conversations, details ->> 'messages' as messages from audit_events
        where action = 'pruned' order by position`,
    );
    expect(trail.map(({ conversations, messages }) => `${conversations} ${messages}`)).to.deep.equal([
      '0 3',
      '0 3',
      '2 2',
    ]);
  });

  it('refuses to delete conversations of the last day', async () => {
    await conversation(avery, { asked: 0 });
    const statement = `select prune_conversations(now() - interval '23 hours', 100, 'service')`;
    for (const attempt of [() => prune(0), () => storage.rows(statement)]) {
      expect((await refusal(attempt())).message).to.match(/^Conversations of the last day cannot be deleted\./);
    }
    expect(await prune(1)).to.equal(0);
    expect(await remainingIds()).to.have.length(1);
  });
});
