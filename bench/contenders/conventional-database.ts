import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sign } from 'cookie-signature';
import { Client } from 'pg';

export type ConventionalUser = { id: string; name: string; role: string; organization: string };

const tables = `
  create table users (
    id bigint generated always as identity primary key,
    name text not null,
    role text not null,
    organization text not null
  );
  create table engagement_states (user_id bigint primary key references users, state jsonb not null);
  create table conversations (
    id uuid primary key default gen_random_uuid(),
    user_id bigint not null references users,
    created_at timestamptz not null default now()
  );
  create index on conversations (user_id);
  create table messages (
    id bigint generated always as identity primary key,
    conversation_id uuid not null references conversations,
    role text not null,
    content text not null,
    created_at timestamptz not null default now()
  );
  create index on messages (conversation_id);
`;

const dayMilliseconds = 24 * 60 * 60 * 1000;

type Options = {
  users: number;
  user: Omit<ConventionalUser, 'id'>;
  engagement: object;
  secret: string;
};

/** Creates the tables and signed-in users in an empty database, and returns the session cookies. */
export async function createSignedInUsers(url: string, { users, user, engagement, secret }: Options) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(await readFile(fileURLToPath(import.meta.resolve('connect-pg-simple/table.sql')), 'utf8'));
    await client.query(tables);
    await client.query(
      'insert into users (name, role, organization) select $2, $3, $4 from generate_series(1, $1::int)',
      [users, user.name, user.role, user.organization],
    );
    await client.query('insert into engagement_states select id, $1 from users', [engagement]);
    const expires = new Date(Date.now() + dayMilliseconds);
    const cookie = { originalMaxAge: dayMilliseconds, expires, secure: true, httpOnly: true, path: '/' };
    const { rows } = await client.query<{ sid: string }>(
      `insert into session (sid, sess, expire)
         select gen_random_uuid(), json_build_object('cookie', $1::json, 'passport', json_build_object('user', id::text)), $2
           from users
         returning sid`,
      [cookie, expires],
    );
    return rows.map(({ sid }) => `connect.sid=${encodeURIComponent(`s:${sign(sid, secret)}`)}`);
  } finally {
    await client.end();
  }
}
