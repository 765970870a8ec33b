import { type Migration, migrations } from '../../../../server/database/schema/migrations.ts';

const added: Migration[] = [
  { name: '2999-01-01-users', statements: ['alter table users add column later text'] },
  {
    name: '2999-01-02-conversations',
    statements: [
      'alter table conversations add column later text',
      `select set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true)`,
      'update conversations set later = status',
    ],
  },
];

export const laterMigrations: readonly string[] = added.map(({ name }) => name);

export const listOfLaterRelease: readonly Migration[] = [...migrations, ...added];
