import type { Hole } from '../hole.ts';

const wait = 'server/chat/database-wait.ts';
const reopened = 'server/database/migrations/2026-11-23-reopened-turns.ts';

const unit = (title: string) => ({
  file: 'test/server/database/outage.test.ts',
  title: `an outage of the database ${title}`,
});
const stopped = (title: string) => ({
  file: 'test/faults/database-away.services.test.ts',
  title: `while PostgreSQL has just gone ${title}`,
});
const again = (title: string) => ({
  file: 'test/server/database/turns-reopen.test.ts',
  title: `a turn that is opened again with the same ids ${title}`,
});

export const outage: readonly Hole[] = [
  {
    name: 'A turn waits for the database for as long as it takes',
    file: 'server/database/outage.ts',
    find: '    if (left(since) <= 0) for (const { reject } of waiting) reject(error);\n',
    replace: '',
    test: unit('fails every call ten seconds after its start, whenever the call began'),
  },
  {
    name: 'A turn that comes late waits for the database too',
    file: 'server/database/outage.ts',
    find: 'while (since !== undefined && left(since) > 0) {',
    replace: 'while (since !== undefined) {',
    test: unit('that lasts for longer fails a new call at once, without a wait'),
  },
  {
    name: 'A standby passes for a database that is back',
    file: 'server/database/client.ts',
    find: "if (rows[0]?.refused !== 'off')",
    replace: 'if (rows.length > 1)',
    test: {
      file: 'test/server/database/client.test.ts',
      title: 'requireWritable is content with a database that takes writes, and takes a standby for one that is away',
    },
  },
  {
    name: 'A turn that waits for the database has no place',
    file: wait,
    find: '    streams.admitWaiting(response);\n',
    replace: '',
    test: stopped('no more turns wait than there are places: others are refused as by a full service'),
  },
  {
    name: 'Who has left goes on waiting for the database',
    file: wait,
    find: "    response.on('close', end);\n",
    replace: '',
    test: {
      file: 'test/server/chat/database-wait.test.ts',
      title:
        'a turn of live chat without a budget, whose database has just gone is over when its person leaves: nothing is stored or asked',
    },
  },
  {
    name: 'A process that stops keeps those who wait for the database',
    file: wait,
    find: "    draining.addEventListener('abort', end);\n",
    replace: '',
    test: stopped('and the process is told to stop, those who wait are sent to another instance'),
  },
  {
    name: 'A turn that is opened again is refused by its own reservation',
    file: reopened,
    find: 'if exists (select from token_uses where id = reservation and org_id = organization) then',
    replace: 'if false then',
    test: again('is not refused by the tokens that its own first call has reserved'),
  },
  {
    name: 'A migration waits for a table for as long as it takes',
    file: 'server/database/migrations.ts',
    find: 'if (this.isTransactional()) await',
    replace: 'if (!this.isTransactional()) await',
    test: {
      file: 'test/server/database/migrations.services.test.ts',
      title:
        'openDatabase, on a PostgreSQL server while somebody reads a table for long lets requests through between its attempts, and is done when the reader is',
    },
  },
  {
    name: 'A start that migrates nothing serves on a schema that is too old',
    file: 'server/database/database.ts',
    find: 'if (!migrateAtStart) await requireMigrated(orm);',
    replace: 'if (!migrateAtStart) void orm;',
    test: {
      file: 'test/server/migrate.services.test.ts',
      title:
        'npm run migrate, on a PostgreSQL server is what a start that migrates nothing refers to where a migration is missing, and a command of the operator',
    },
  },
];
