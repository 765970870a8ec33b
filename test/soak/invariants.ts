import pg from 'pg';
import { loadConfig } from '../../server/config/config.ts';
import { demoErrorCodes } from '../../shared/errors.ts';
import { promptVersion } from '../../shared/interface.ts';
import type { Records } from './people.ts';
import { modelName, type ProviderReply } from './provider.ts';

/** A period in which a component was unavailable. For the product, `part` is `product stopped` or `product killed`. */
export type Outage = { part: string; since: number; until: number };

const { live, demo } = loadConfig({}).limits;

type Run = Records & {
  replies: readonly ProviderReply[];
  outages: readonly Outage[];
  budgets: { user: number; organization: number };
};

/** One table for each list in `Run`. Columns are named after the fields. */
const tables = `
  create schema soak;
  create table soak.turns (turn int primary key, request_id text unique, user_id text, org_id text, asker text,
    marks text[], question text);
  create table soak.attempts (turn int, sent_at float8, ended_at float8, ending text, status int, conversation text,
    seen text, code text);
  create table soak.replies (name text primary key, turn int, arrived_at float8, ended_at float8, text text, is_complete bool,
    outcome jsonb, usage jsonb, stop_reason text, marks text[], turns_named int[]);
  create table soak.outages (part text, since float8, until float8)`;

const views = `
  create index on soak.attempts (turn);
  create index on soak.replies (turn);
  -- Whether a part was down at any time between two times, or, with a fourth parameter, at most that many milliseconds
  -- earlier.
  create function soak.was_down(text, float8, float8, float8 default 0) returns bool language sql as
    'select exists (select from soak.outages where part = $1 and since <= $3 and $2 <= until + $4)';
  -- Each reply with the attempt that caused it: the last one that had been sent before it arrived.
  create table soak.requests as select r.*, (select max(sent_at) from soak.attempts a
    where a.turn = r.turn and a.sent_at <= r.arrived_at) as sent_at from soak.replies r;
  create index on soak.requests (turn, sent_at);
  -- Each attempt with the reply that its text names, or else the last reply that arrived during the attempt.
  create table soak.seen as select a.*, t.request_id, t.user_id, t.org_id, t.asker, t.question, t.user_id is not null as live,
      r.name as reply, r.turn as of_turn, r.text, r.is_complete, r.outcome, r.stop_reason,
      case when t.user_id is null and r.outcome->>'code' <> all ('{${demoErrorCodes}}') then 'UPSTREAM_ERROR'
        else r.outcome->>'code' end as due_code,
      case when t.user_id is null then ${demo.windowSeconds} else ${live.windowSeconds} end as window_seconds,
      case when t.user_id is null then ${demo.requests} else ${live.requests} end as most,
      exists (select from soak.requests q where (q.turn, q.sent_at) = (a.turn, a.sent_at)) as is_asked
    from soak.attempts a join soak.turns t using (turn)
    left join soak.replies r on r.name = coalesce(substring(seen from '^\\[reply \\d+\\.\\d+\\]'),
      (select name from soak.requests q where (q.turn, q.sent_at) = (a.turn, a.sent_at)
        and q.arrived_at <= coalesce(a.ended_at, 'infinity') order by q.arrived_at desc limit 1));
  create index on soak.seen (request_id);
  -- Each stored reply with its name. A reply without text is identified by its turn.
  create table soak.stored as select m.*, t.turn, coalesce(substring(content from '^\\[reply \\d+\\.\\d+\\]'),
      (select name from soak.replies r where r.turn = t.turn and text = '' and is_complete and content = '' limit 1)) as reply
    from chat_messages m left join soak.turns t using (request_id) where m.role = 'ASSISTANT';
  create index on soak.stored (reply);
  analyze`;

/** Requests that waited for the database can still fail this many milliseconds after its recovery. */
const recovery = 6_000;

/** The rules, each with a query for its violations. */
const invariants = ({ budgets }: Run): Record<string, string> => ({
  'an answered question is stored verbatim in the conversation of X-Conversation-Id': `
    select distinct request_id from soak.seen s where live and conversation is not null and not exists (select from chat_messages m
      where m.request_id = s.request_id and role = 'USER' and conversation_id = conversation and content = question)`,
  'a question that was sent to the provider is stored': `
    select t.request_id from soak.replies join soak.turns t using (turn) where user_id is not null and not exists (
      select from chat_messages m where m.request_id = t.request_id and role = 'USER')`,
  'an unanswered question is stored once': `
    select request_id from (select request_id, role, lag(role) over w as role_before, lag(request_id) over w as before
      from chat_messages window w as (partition by conversation_id order by position)) as rows
    where role = 'USER' and role_before = 'USER' and before = request_id`,
  'a refused question is not stored': `
    select request_id from soak.seen join chat_messages using (request_id) group by request_id
    having bool_and(coalesce(status in (400, 401, 403, 413, 429, 503), false) and conversation is null)`,
  'a row belongs to the person who sent the request, demo chat stores none, and an answer follows its question': `
    select m.id from chat_messages m join conversations c on c.id = m.conversation_id
      left join soak.turns t using (request_id)
    where (m.user_id, m.org_id) is distinct from (t.user_id, t.org_id) or (m.user_id, m.org_id) <> (c.user_id, c.org_id)
      or role = 'ASSISTANT' and not exists (select from chat_messages q where q.role = 'USER'
        and q.request_id = m.request_id and q.conversation_id = m.conversation_id and q.position < m.position)`,
  "a stored reply is the provider's reply to its question, with its token counts": `
    select s.id from soak.stored s left join soak.replies r on r.name = s.reply
    where r.turn is null or r.turn is distinct from s.turn or not starts_with(text, content)
      or s.stop_reason is not null and (content <> text or s.stop_reason <> r.stop_reason)
      or (s.input_tokens, s.cache_read_tokens, s.cache_create_tokens)
        is distinct from ((usage->>'input_tokens')::int, (usage->>'cache_read_input_tokens')::int,
          (usage->>'cache_creation_input_tokens')::int)
      or s.output_tokens is null or s.output_tokens <> (usage->>'output_tokens')::int and (s.stop_reason is not null or s.output_tokens <> 1)
      or model is distinct from '${modelName}' or prompt_version is distinct from '${promptVersion}'`,
  'a reply is stored once': `select min(id) from soak.stored group by reply having count(*) > 1`,
  'the text that a client received is stored, unless the question was retried or the process was killed mid-reply': `
    select s.request_id from soak.seen s left join soak.stored r using (reply)
    where live and s.status = 200 and not exists (select from soak.attempts later
        where later.turn = s.turn and later.sent_at > s.sent_at) and case when ending = 'complete'
      then r.id is null or r.content <> seen or r.stop_reason is distinct from (case when code is null then s.stop_reason end)
      else seen <> '' and (not starts_with(r.content, seen) or r.id is null
        and not soak.was_down('product killed', sent_at, ended_at + 2000)) end`,
  'a received reply is the reply to its question, and has no error only if it is complete': `
    select request_id from soak.seen where status = 200 and (of_turn is distinct from turn or not starts_with(text, seen)
      or ending = 'complete' and case when code is null then not is_complete or seen <> text else code <> 'UPSTREAM_ERROR'
        or not (outcome ? 'break' and outcome->>'code' is null) and not soak.was_down('product stopped', sent_at, ended_at) end)`,
  'an error has a cause': `
    select request_id || ' ' || coalesce(code, status::text) from soak.seen
    where status <> 200 and ending = 'complete' and not coalesce(case code when 'RATE_LIMITED' then true
      when 'INTERNAL' then live and soak.was_down('database', sent_at, ended_at, ${recovery}) end, false)
      and code is distinct from due_code
      and not (code = 'UPSTREAM_OVERLOADED' and soak.was_down('product stopped', sent_at, ended_at))`,
  'an attempt ends, and is cut only if its process ends': `
    select request_id from soak.seen where ending is null
      or ending = 'cut' and not soak.was_down('product killed', sent_at, ended_at)
        and (status is not null or not soak.was_down('product stopped', sent_at, ended_at))`,
  'while Redis is up, no one exceeds the limit': `
    select min(first.asker) from soak.seen first join soak.seen other
      on other.asker = first.asker and other.sent_at >= first.sent_at and other.is_asked
      and other.ended_at < first.sent_at + first.window_seconds * 1000
    where first.is_asked and not soak.was_down('redis', first.sent_at - 3000, first.ended_at + ${demo.windowSeconds * 1000})
    group by first.request_id, first.sent_at, first.most having count(*) > first.most`,
  'no turn starts when its budget is exhausted': `
    select u.id from token_uses u join token_uses before on before.org_id = u.org_id and before.settled
      and before.used_at < u.used_at - interval '45 s'
    group by u.id having sum(before.tokens) >= ${budgets.organization}
      or sum(before.tokens) filter (where before.user_id = u.user_id) >= ${budgets.user}`,
  'the reported tokens of a reply are counted, and no turn is counted twice': `
    select id from soak.stored s where stop_reason is not null and not exists (select from token_uses u
      where u.user_id = s.user_id
      and (tokens = input_tokens + cache_read_tokens + cache_create_tokens + output_tokens or not settled))
    union select user_id from token_uses join (select user_id, count(*) as attempts from soak.seen
      where status is null or status not in (401, 429) group by user_id) as asked using (user_id)
      group by user_id, attempts having count(*) > attempts`,
  'a reservation stays unsettled only if its process was killed or the database was down': `
    select id from (select *, extract(epoch from used_at) * 1000 as at from token_uses) as uses where not settled
      and not soak.was_down('product killed', at - 100, at + 60000) and not soak.was_down('database', at, at + 15000, ${recovery})`,
  'a provider request has data of only one person': `
    select r.name from soak.replies r join soak.turns t using (turn)
    where not (r.marks <@ t.marks and r.marks @> t.marks)
      or exists (select from unnest(turns_named) named left join soak.turns n on n.turn = named where n.asker is distinct from t.asker)`,
  "a provider request ends within seconds of its client's request": `
    select r.name from soak.requests r left join soak.attempts a using (turn, sent_at)
    where r.ended_at is null or r.ended_at > greatest(a.ended_at, r.arrived_at) + 5000`,
  'no connection is left in a transaction': `
    select pid::text from pg_stat_activity where state like 'idle in transaction%' and backend_type = 'client backend'`,
});

/** Returns a line per violated rule. The database at `url` must still hold the stored messages of the run. */
export async function findViolations(url: string, run: Run): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(tables);
    const { turns, attempts, replies, outages } = run;
    for (const [table, records] of Object.entries({ turns, attempts, replies, outages }))
      await insert(client, table, records);
    await client.query(views);
    const lines: string[] = [];
    for (const [rule, statement] of Object.entries(invariants(run))) {
      const { rows } = await client.query<string[]>({ text: statement, rowMode: 'array' });
      if (rows.length > 0) lines.push(`${rows.length} violations of "${rule}": ${rows.slice(0, 5).join(', ')}`);
    }
    return lines;
  } finally {
    await client.end();
  }
}

/** Inserts each field into the column with its name in snake case, such as `sent_at`. Fields without a column are ignored. */
async function insert(client: pg.Client, table: string, records: readonly object[]): Promise<void> {
  const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const rowOf = (record: object) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [columnOf(name), value]));
  // Replaces what PostgreSQL cannot store, as the product does.
  const stored = (_: string, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value;
  const statement = `insert into soak.${table} select * from json_populate_recordset(null::soak.${table}, $1)`;
  await client.query(statement, [JSON.stringify(records.map(rowOf), stored)]);
}
