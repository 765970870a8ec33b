import { createHash } from 'node:crypto';
import { copiedTables } from '../../server/database/operators/copy.ts';
import type { EntityManager, Orm } from '../../server/database/orm.ts';
import { acrossOrganizations } from '../../server/database/transactions.ts';
import { demoEngagement } from '../../server/prompt/demo-engagement.ts';

/** Each person has two consecutive conversations with half of their turns in each. A turn is two messages. */
type Population = { people: number; turnsOfPerson: number };

const peopleOfOrganization = 5;
const conversationsOfPerson = 2;

const [wordsOfQuestion, wordsOfAnswer] = [60, 350];

type Kind = 'organization' | 'person' | 'conversation' | 'message' | 'request' | 'session' | 'invitation' | 'use';

/** Returns the id of a row. It is as long as the product's ids and, like them, not sequential. */
export function idOf(kind: Kind, ...parts: (number | 'USER' | 'ASSISTANT')[]): string {
  const hash = createHash('md5').update([kind, ...parts].join(' '));
  return `c${hash.digest('hex').slice(0, 24)}`;
}

function idSql(kind: Kind, ...parts: string[]): string {
  return `'c' || substr(md5('${kind} ' || ${parts.join(` || ' ' || `)}), 1, 24)`;
}

/** Returns the id of a person's organization. People are numbered from 1. */
export const organizationOf = (person: number): string =>
  idOf('organization', Math.ceil(person / peopleOfOrganization));

export const scopeOf = (person: number) => ({ userId: idOf('person', person), orgId: organizationOf(person) });

const organizationSql = idSql('organization', `((person + ${peopleOfOrganization - 1}) / ${peopleOfOrganization})`);
const personSql = idSql('person', 'person');
const demo = demoEngagement.engagement;

/**
 * Fills a migrated database with a year of use: every table has rows, and messages are stored in chronological order.
 * Works for a table owner who is subject to row-level security. Updates the planner's statistics at the end.
 */
export async function populate(orm: Orm, population: Population): Promise<void> {
  const { people } = population;
  await acrossOrganizations(orm, async (em) => {
    const allPeople = `generate_series(1, ${people}) person`;
    await em.execute(
      `insert into organizations (id, name, industry, size, created_at)
         select ${idSql('organization', 'number')}, 'Castings of number ' || number, 'Metal casting', '420 people',
                now() - interval '1 year' + number * interval '1 second'
           from generate_series(1, ${Math.ceil(people / peopleOfOrganization)}) number`,
    );
    await em.execute(
      `with people as (
         insert into users (id, org_id, name, email, email_verified, role, onboarded_at, created_at)
           select ${personSql}, ${organizationSql}, 'Person of number ' || person, person || '@example.com', true,
                  'Head of operations', now(), now() - interval '1 year' + person * interval '1 second'
             from ${allPeople} returning id, org_id
       )
       insert into memberships (user_id, org_id) select id, org_id from people`,
    );
    await em.execute(
      `insert into identities (provider, subject, user_id) select 'google', '10' || person, ${personSql} from ${allPeople}`,
    );
    await em.execute(
      `insert into engagement_states (user_id, org_id, week, focus, hypotheses, unknowns, findings)
         select ${personSql}, ${organizationSql}, ?, ?, ?::jsonb, ?::jsonb, ?::jsonb from ${allPeople}`,
      [
        demo.week,
        demo.focus ?? null,
        ...[demo.hypotheses, demo.unknowns, demo.findings].map((part) => JSON.stringify(part)),
      ],
    );
    await em.execute(
      `insert into sessions (sid, sess, expire, user_id)
         select ${idSql('session', 'person')}, json_build_object(
                  'cookie', json_build_object('originalMaxAge', 2592000000, 'expires', '2030-01-01T00:00:00.000Z',
                    'secure', true, 'httpOnly', true, 'path', '/', 'sameSite', 'lax'),
                  'userId', ${personSql}, 'begunAt', 1790000000000, 'renewedAt', 1790000000000),
                now() + interval '30 days', ${personSql} from ${allPeople}`,
    );
    await em.execute(
      `insert into audit_events (created_at, action, actor, subject, address_hash, request_id)
         select now() - interval '1 year' + person * interval '1 second', action, ${personSql}, ${personSql},
                md5('address ' || person), ${idSql('request', 'person', '0')}
           from ${allPeople}, unnest(string_to_array('signed-up,onboarded,signed-in', ',')) action`,
    );
    await em.execute(
      `insert into invitations (id, token_hash, created_at, expires_at, used_at, used_by)
         select ${idSql('invitation', 'person')}, encode(sha256(convert_to('token ' || person, 'UTF8')), 'hex'),
                now() - interval '1 year' + person * interval '1 second', now(), now(), ${personSql}
           from generate_series(1, ${people}, 10) person`,
    );
    await em.execute(
      `insert into blocked_accounts (account_hash)
         select encode(sha256(convert_to('github ' || person, 'UTF8')), 'hex') from generate_series(1, ${people}, 10) person`,
    );
    // A tenth of the people have taken ten turns in the last 24 hours.
    await em.execute(
      `insert into token_uses (id, org_id, user_id, tokens, settled, used_at)
         select ${idSql('use', 'person', 'turn')}, ${organizationSql}, ${personSql}, 10000, true,
                now() - turn * interval '1 hour'
           from generate_series(1, ${people}, 10) person, generate_series(1, 10) turn`,
    );
    await insertConversations(em, population);
  });
  await orm.em.fork().execute(`vacuum (analyze) ${copiedTables.join(', ')}`);
}

async function insertConversations(em: EntityManager, { people, turnsOfPerson }: Population): Promise<void> {
  const turnsOfConversation = Math.ceil(turnsOfPerson / conversationsOfPerson);
  // The year is divided evenly among the turns of a person: within each part, every person has one turn.
  const timeOf = (turn: number) =>
    `now() - interval '1 year' * (1 - (${turn - 1} + person::float8 / ${people}) / ${turnsOfPerson})`;
  const conversationSql = (conversation: number) => idSql('conversation', 'person', String(conversation));

  for (let conversation = 1; conversation <= conversationsOfPerson; conversation += 1) {
    const last = Math.min(conversation * turnsOfConversation, turnsOfPerson);
    const first = (conversation - 1) * turnsOfConversation + 1;
    await em.execute(
      `insert into conversations (id, org_id, user_id, created_at, last_message_at)
         select ${conversationSql(conversation)}, ${organizationSql}, ${personSql}, ${timeOf(first)}, ${timeOf(last)}
           from generate_series(1, ${people}) person`,
    );
  }

  for (let turn = 1; turn <= turnsOfPerson; turn += 1) {
    const conversation = conversationSql(Math.ceil(turn / turnsOfConversation));
    await em.execute(
      `insert into chat_messages (id, org_id, user_id, conversation_id, role, request_id, content, created_at,
           input_tokens, output_tokens, cache_read_tokens, cache_create_tokens, stop_reason, model, prompt_version)
         select ${idSql('message', 'person', String(turn), 'speaker')}, ${organizationSql}, ${personSql}, ${conversation}, speaker,
                ${idSql('request', 'person', String(turn))},
                repeat('word ', words), ${timeOf(turn)}, answer.*
           from generate_series(1, ${people}) person
             cross join (values ('USER', ${wordsOfQuestion}), ('ASSISTANT', ${wordsOfAnswer})) spoken (speaker, words)
             left join (values (120, 460, 9000, 800, 'end_turn', 'claude-sonnet-5-5', '1.0.0')) answer on speaker = 'ASSISTANT'`,
    );
  }
}
