import pg from 'pg';
import { presentableText } from '../../client/chat/presentable-text.ts';
import { loadConfig } from '../../server/config/config.ts';
import { budgetSentences, demoErrorCodes, parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { promptVersion } from '../../shared/interface.ts';
import type { Postgres } from '../support/postgres-process.ts';
import { modelName, type ProviderReply } from './parts.ts';
import type { Attempt, Question, Records } from './people.ts';
import { type Consequence, fates } from './plan.ts';

/** A part that was away for a time; `product stopped` and `product killed` are parts too. */
export type Absence = { part: string; since: number; until: number };

const { live, demo } = loadConfig({}).limits;

export type Seen = Records & {
  replies: readonly ProviderReply[];
  absences: readonly Absence[];
  budgets: { user: number; organization: number };
};

/** The records as tables. A reply is told by what its text names, else by what arrived at the provider while the attempt ran. */
const tables = `
  create schema soak;
  create table soak.turns (turn int primary key, user_id text, org_id text, asker text, question text);
  create table soak.attempts (turn int, request_id text, asked_conversation text, conversation text, version text,
    echoed text, sent_at float8, ended_at float8, ending text, status int, wait int, seen text, code text, budget text,
    reply_turn int, reply_attempt int, is_asked bool);
  create table soak.replies (turn int, attempt int, code_live text, code_demo text, is_after bool,
    arrived_at float8, ended_at float8, text text, whole bool, input int, output int, cache_read int, cache_create int,
    stop_reason text, max_tokens int, names_others bool, request_id text, primary key (turn, attempt));
  create table soak.absences (part text, since float8, until float8)`;

const views = `
  create index on soak.attempts (request_id);
  create index on soak.attempts (turn);
  analyze;
  -- Whether a part was away at any time from \`since\` to \`until\`, or until so many milliseconds before.
  create function soak.was_away(text, float8, float8, float8 default 0) returns bool language sql as
    'select exists (select from soak.absences where part = $1 and since <= $3 and $2 <= until + $4)';
  create view soak.seen as select a.*, t.user_id, t.org_id, t.asker, t.question, t.user_id is not null as live,
      r.attempt as of_attempt, r.turn as of_turn, r.is_after, r.text, r.whole, r.stop_reason, r.code_live, r.code_demo,
      case when t.user_id is null then ${demo.windowSeconds} else ${live.windowSeconds} end as window_seconds,
      case when t.user_id is null then ${demo.requests} else ${live.requests} end as most
    from soak.attempts a join soak.turns t using (turn)
    left join soak.replies r on (r.turn, r.attempt) = (a.reply_turn, a.reply_attempt);
  -- Each stored reply with the provider's; one without text is known by its request alone.
  create table soak.stored as
    select m.*, a.turn as asked_turn, r.turn as of_turn, r.attempt as of_attempt, r.text, r.input, r.output,
      r.cache_read, r.cache_create, r.stop_reason as reported_reason
    from chat_messages m
    left join (select distinct request_id, turn from soak.attempts) a using (request_id)
    left join lateral (select * from soak.replies r where case
        when m.content = '' then r.turn = a.turn and r.text = '' and r.whole
        else (r.turn::text, r.attempt::text) = (substring(m.content from '^\\[reply (\\d+)'), substring(m.content from '^\\[reply \\d+\\.(\\d+)'))
      end limit 1) r on true
    where m.role = 'ASSISTANT';
  create index on soak.stored (of_turn)`;

/** How long after the database works again requests may fail that had waited for it, or found a dead connection. */
const recovery = 6_000;

/** What must never be, each as a query for what is against it. */
const invariants = (seen: Seen): Record<string, string> => ({
  'a question that was answered is stored in the conversation that the client was told of, in its own words': `
    select distinct request_id from soak.seen s where live and conversation is not null and not exists (select from chat_messages m
      where m.request_id = s.request_id and role = 'USER' and conversation_id = conversation and content = question)`,
  'a question for which the provider was asked is stored': `
    select r.request_id from soak.replies r join soak.turns using (turn) where user_id is not null and not exists (
      select from chat_messages m where m.request_id = r.request_id and role = 'USER')`,
  'an unanswered question is stored once': `
    select request_id from (select request_id, role, lag(role) over w as role_before, lag(request_id) over w as before
      from chat_messages window w as (partition by conversation_id order by position)) as rows
    where role = 'USER' and role_before = 'USER' and before = request_id`,
  'a refused question is not stored': `
    select request_id from soak.seen join chat_messages using (request_id) group by request_id
    having bool_and(coalesce(status in (400, 401, 403, 413, 429, 503), false) and conversation is null)`,
  'a row belongs to who asked for it, demo chat leaves none, and an answer follows its question': `
    select m.id from chat_messages m join conversations c on c.id = m.conversation_id
      left join (select distinct request_id, user_id, org_id from soak.seen) s using (request_id)
    where (m.user_id, m.org_id) is distinct from (s.user_id, s.org_id) or (m.user_id, m.org_id) <> (c.user_id, c.org_id)
      or role = 'ASSISTANT' and not exists (select from chat_messages q where q.role = 'USER'
        and q.request_id = m.request_id and q.conversation_id = m.conversation_id and q.position < m.position)`,
  'a conversation holds something, and lastMessageAt is the time of its last answer': `
    select c.id from conversations c left join chat_messages m on m.conversation_id = c.id group by c.id
    having count(m.id) = 0 or (max(m.created_at) filter (where role = 'ASSISTANT') is null) <> (last_message_at is null)
      or last_message_at not between max(m.created_at) filter (where role = 'ASSISTANT') - interval '50 ms'
        and max(m.created_at) filter (where role = 'ASSISTANT') + interval '12 s'`,
  'a stored reply is what the provider said to this question, with its own counts': `
    select id from soak.stored where of_turn is null or of_turn is distinct from asked_turn or not starts_with(text, content)
      or stop_reason is not null and (content <> text or stop_reason <> reported_reason)
      or (input_tokens, cache_read_tokens, cache_create_tokens) is distinct from (input, cache_read, cache_create)
      or output_tokens is null or output_tokens <> output and (stop_reason is not null or output_tokens <> 1)
      or model is distinct from '${modelName}' or prompt_version is distinct from '${promptVersion}'`,
  'a reply is stored once': `select min(id) from soak.stored group by of_turn, of_attempt having count(*) > 1`,
  'a reply is stored only if somebody could be shown it': `
    select id from soak.stored r where not exists (select from soak.seen s where s.request_id = r.request_id
      and (s.ending <> 'whole' or s.status = 200 and (s.of_turn, s.of_attempt) = (r.of_turn, r.of_attempt)))`,
  'what a client saw of a reply is stored, unless the question was asked again, or its process killed in mid-reply': `
    select s.request_id from soak.seen s left join soak.stored r using (of_turn, of_attempt)
    where live and s.status = 200 and not exists (select from soak.attempts later
        where later.request_id = s.request_id and later.sent_at > s.sent_at) and case when ending = 'whole'
      then r.id is null or r.content <> seen or r.stop_reason is distinct from (case when code is null then s.stop_reason end)
      else seen <> '' and (not starts_with(r.content, seen) or r.id is null
        and not soak.was_away('product killed', sent_at, ended_at + 2000)) end`,
  'a reply is the provider’s to this question, and ends well only if it is whole': `
    select request_id from soak.seen where status = 200 and (of_turn is distinct from turn or not starts_with(text, seen)
      or ending = 'whole' and case when code is null then not whole or seen <> text else code <> 'UPSTREAM_ERROR'
        or not is_after and not soak.was_away('product stopped', sent_at, ended_at) end)`,
  'an answer has its headers: the request’s id, Retry-After with 429 alone, conversation and version in live chat alone': `
    select request_id from soak.seen where status is not null and (echoed is distinct from request_id
      or (wait is not null) <> (status = 429) or not live and (conversation is not null or version is not null)
      or live and status = 200 and (version is distinct from '${promptVersion}' or conversation is null
        or conversation !~ '^c[a-z0-9]{24}$' or asked_conversation <> conversation))`,
  'an error has a cause': `
    select request_id || ' ' || coalesce(code, status::text) from soak.seen
    where status <> 200 and ending = 'whole' and not coalesce(case code when 'RATE_LIMITED' then true
      when 'INTERNAL' then live and soak.was_away('database', sent_at, ended_at, ${recovery}) end, false)
      and code is distinct from (case when live then code_live else code_demo end)
      and not (code = 'UPSTREAM_OVERLOADED' and soak.was_away('product stopped', sent_at, ended_at))`,
  'an attempt comes to an end, and is cut only with its process': `
    select request_id from soak.seen where ending is null
      or ending = 'cut' and not soak.was_away('product killed', sent_at, ended_at)
        and (status is not null or not soak.was_away('product stopped', sent_at, ended_at))`,
  'nobody gets more than the limit, while Redis counts': `
    select min(first.asker) from soak.seen first join soak.seen other
      on other.asker = first.asker and other.sent_at >= first.sent_at and other.is_asked
      and other.ended_at < first.sent_at + first.window_seconds * 1000
    where first.is_asked and not soak.was_away('redis', first.sent_at - 3000, first.ended_at + ${demo.windowSeconds * 1000})
    group by first.request_id, first.sent_at, first.most having count(*) > first.most`,
  'nobody is refused below the limit, and no longer than its window': `
    select refused.request_id from soak.seen refused join soak.seen other
      on other.asker = refused.asker and (other.status is distinct from 429 or other.budget is not null)
      and other.sent_at <= refused.ended_at
      and coalesce(other.ended_at, 'infinity') >= refused.sent_at - refused.window_seconds * 1000
    where refused.status = 429 and refused.budget is null
    group by refused.request_id, refused.sent_at, refused.window_seconds, refused.most, refused.wait
    having count(*) < refused.most or refused.wait not between 1 and refused.window_seconds`,
  'nobody begins a turn when a budget is used up': (['user', 'organization'] as const)
    .map(
      (whose) => `select u.id from token_uses u join token_uses before on before.org_id = u.org_id and before.settled
        and before.used_at < u.used_at - interval '45 s' ${whose === 'user' ? 'and before.user_id = u.user_id' : ''}
      group by u.id having sum(before.tokens) >= ${seen.budgets[whose]}`,
    )
    .join(' union '),
  'a budget refuses only who may have used it up, for a day at the most, and nothing is asked': `
    select s.request_id from soak.seen s left join token_uses u on u.org_id = s.org_id
      and (s.budget = 'organization' or u.user_id = s.user_id)
      and extract(epoch from u.used_at) * 1000 <= s.ended_at + 100
    where s.budget is not null group by s.request_id, s.sent_at, s.budget, s.wait, s.is_asked
    having s.is_asked or s.budget = 'demo' or s.wait not between 1 and 86400
      or coalesce(sum(case when extract(epoch from u.used_at) * 1000 > s.sent_at - 45000 then 54000 else u.tokens end), 0)
        < case s.budget when 'user' then ${seen.budgets.user} else ${seen.budgets.organization} end`,
  'the tokens of a reply are counted as reported, and no turn is counted twice': `
    select id from soak.stored s where stop_reason is not null and not exists (select from token_uses u
      where u.user_id = s.user_id and (tokens = input + cache_read + cache_create + output or not settled))
    union select user_id from token_uses join (select user_id, count(*) as attempts from soak.seen
      where status is null or status not in (401, 429) group by user_id) as asked using (user_id)
      group by user_id, attempts having count(*) > attempts`,
  'a reservation is left only by a killed process, or by a database that was away': `
    select id from (select *, extract(epoch from used_at) * 1000 as at from token_uses) as uses where not settled
      and not soak.was_away('product killed', at - 100, at + 60000) and not soak.was_away('database', at, at + 15000, ${recovery})`,
  'the provider is asked for one person alone, with the route’s max_tokens': `
    select r.turn::text from soak.replies r join soak.turns using (turn)
    where names_others or max_tokens <> case when user_id is null then 2048 else 4096 end`,
  'the provider’s request ends within seconds of its client’s': `
    select r.turn::text from soak.replies r left join soak.attempts a
      on (a.turn, a.reply_attempt, a.is_asked) = (r.turn, r.attempt, true)
    where r.ended_at is null or r.ended_at > greatest(a.ended_at, r.arrived_at) + 5000`,
  'no connection is left in a transaction': `
    select pid::text from pg_stat_activity where state like 'idle in transaction%' and backend_type = 'client backend'`,
});

/** What of the run is against an invariant, in lines. The database at `url` still holds what the product has stored. */
export async function violations(url: string, seen: Seen): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(tables);
    await load(client, seen);
    await client.query(views);
    const lines: string[] = [];
    for (const [rule, statement] of Object.entries(invariants(seen))) {
      const { rows } = await client.query<string[]>({ text: statement, rowMode: 'array' });
      if (rows.length > 0) lines.push(`${rows.length} against "${rule}": ${rows.slice(0, 5).join(', ')}`);
    }
    return lines;
  } finally {
    await client.end();
  }
}

/** The tables that no turn may change, each with a fingerprint. */
export function fingerprints({ query }: Pick<Postgres, 'query'>): Promise<string[]> {
  const tables = ['organizations', 'users', 'memberships', 'identities', 'engagement_states', 'sessions'];
  const sums = tables.map(
    (table) =>
      `select to_json('${table} ' || md5(string_agg(rows::text, '' order by rows::text))) from ${table} as rows`,
  );
  return query(sums.join(' union all '));
}

/** Text as the database holds it: what PostgreSQL cannot hold is replaced. */
const storedText = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

async function load(client: pg.Client, { questions, attempts, replies, absences }: Seen): Promise<void> {
  const askers = new Map(questions.map(({ turn, asker }) => [turn, asker]));
  const nameOf = (turn: number) => askers.get(turn)?.userId ?? askers.get(turn)?.address;
  const attemptsOf = Map.groupBy(attempts, ({ turn }) => turn);
  const repliesOf = Map.groupBy(replies, ({ turn }) => turn);
  /** The attempt for which the provider was asked: the latest that had been sent by then. */
  const attemptOf = ({ turn, arrivedAt }: ProviderReply) =>
    attemptsOf.get(turn)?.findLast((one) => one.sentAt <= arrivedAt);

  /** The fields of records go to the columns that are named after them, `sentAt` to `sent_at`; the others are dropped. */
  async function insert(table: string, records: readonly object[]): Promise<void> {
    const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const rowOf = (record: object) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [columnOf(name), value]));
    const stored = (_: string, value: unknown) => (typeof value === 'string' ? storedText(value) : value);
    const statement = `insert into soak.${table} select * from json_populate_recordset(null::soak.${table}, $1)`;
    for (let first = 0; first < records.length; first += 500)
      await client.query(statement, [JSON.stringify(records.slice(first, first + 500).map(rowOf), stored)]);
  }

  const turnRow = ({ turn, asker, text }: Question) => ({
    turn,
    userId: asker.userId,
    orgId: asker.orgId,
    asker: nameOf(turn),
    question: text,
  });

  function attemptRow({ headers, body, ...attempt }: Attempt) {
    const { turn, status, ending, endedAt } = attempt;
    const { text, code } = ending === 'whole' ? splitAppendedError(body) : { text: presentableText(body) };
    const [, named, number] = /^\[reply (\d+)\.(\d+)\]/.exec(body) ?? [];
    const arrived = repliesOf.get(turn)?.filter((reply) => attemptOf(reply)?.sentAt === attempt.sentAt);
    const last = arrived?.findLast(({ arrivedAt }) => arrivedAt <= (endedAt ?? Infinity));
    const budget = Object.entries(budgetSentences).find(([, sentence]) => status === 429 && body.includes(sentence));
    return {
      ...attempt,
      ...headers,
      seen: status === 200 ? text : '',
      code: status === 200 ? code : parseErrorCode(body),
      budget: budget?.[0],
      replyTurn: named ?? last?.turn,
      replyAttempt: number ?? last?.attempt,
      isAsked: (arrived?.length ?? 0) > 0,
    };
  }

  function replyRow(reply: ProviderReply) {
    const consequence: Consequence = fates[reply.fate];
    const codeLive = consequence.before ?? null;
    const marks = askers.get(reply.turn)?.marks ?? [];
    const isOurs = reply.marks.length === marks.length && marks.every((mark) => reply.marks.includes(mark));
    return {
      ...reply,
      codeLive,
      codeDemo: codeLive === null || demoErrorCodes.includes(codeLive) ? codeLive : 'UPSTREAM_ERROR',
      isAfter: consequence.after === true,
      input: reply.inputTokens,
      output: reply.outputTokens,
      cacheRead: reply.cacheReadTokens,
      cacheCreate: reply.cacheCreateTokens,
      namesOthers: !isOurs || reply.turnsNamed.some((turn) => nameOf(turn) !== nameOf(reply.turn)),
      requestId: attemptOf(reply)?.requestId,
    };
  }

  await insert('turns', questions.map(turnRow));
  await insert('attempts', attempts.map(attemptRow));
  await insert('replies', replies.map(replyRow));
  await insert('absences', absences);
}
