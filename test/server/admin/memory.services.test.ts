import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { migrate } from '../../../server/database/migrate.ts';
import { openOrm, unhurried } from '../../../server/database/orm.ts';
import { acrossOrganizations } from '../../../server/database/tenant.ts';
import { readText } from '../../support/document.ts';
import { root } from '../../support/served-process.ts';
import { createEmptyDatabase } from '../database/empty-database.ts';

/**
 * A module that a program of Node's own is started with (`--import`). It prints, on standard error at the program's end, how
 * much memory the program has had at the most, in KiB. It is the kernel's own figure for this program: that of
 * `process.resourceUsage()` begins with the memory of the process that started it.
 */
const memoryWatch = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  process.on('exit', () => {
    const [, most] = /^VmHWM:\\s*(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    process.stderr.write(most);
  });
`)}`;

const people = 100_000;
const newline = 10;
/** Of one person: 220 MB of text. */
const messages = 40_000;

/** How the commands are started: by npm, and as the guide starts them in the container, without Node's options. */
const starts = {
  'npm run admin': JSON.parse(readText('package.json')).scripts.admin.split(' ').slice(1),
  'node server/admin/main.ts': ['server/admin/main.ts'],
} satisfies Record<string, string[]>;

describe(`the operator's commands, with ${people.toLocaleString('en')} people`, function () {
  this.timeout(300_000);
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

  before(async () => {
    database = await createEmptyDatabase();
    await using orm = await openOrm({ kind: 'postgresql', url: database.url }, pino({ level: 'silent' }), unhurried);
    await migrate(orm, { shared: true });
    await acrossOrganizations(orm, async (em) => {
      const numbers = `generate_series(1, ${people}) number`;
      await em.execute(
        `insert into organizations (id, name) select 'organization' || number, 'Castings of number ' || number from ${numbers}`,
      );
      await em.execute(
        `with people as (
           insert into users (id, org_id, name, email)
             select 'user' || number, 'organization' || number, 'Person of number ' || number, number || '@example.com'
               from ${numbers} returning id, org_id
         ), members as (insert into memberships (user_id, org_id) select id, org_id from people)
         insert into identities (provider, subject, user_id) select 'github', id, id from people`,
      );
      await em.execute(`insert into conversations (id, org_id, user_id) values ('long', 'organization1', 'user1')`);
      await em.execute(
        `insert into chat_messages (id, org_id, user_id, conversation_id, role, content, request_id)
           select number::text, 'organization1', 'user1', 'long', 'USER', repeat('many words ', 500), number::text
             from generate_series(1, ${messages}) number`,
      );
    });
  });
  after(() => database?.drop());

  /** Runs a command and gives how many lines it printed, and what it took. */
  async function run(start: readonly string[], words: readonly string[]) {
    const child = spawn(process.execPath, [`--import=${memoryWatch}`, ...start, ...words], {
      cwd: root,
      env: { DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const complaints = text(child.stderr);
    let lines = 0;
    for await (const chunk of child.stdout) for (const byte of chunk) if (byte === newline) lines += 1;
    return { lines, megabytes: Number(await complaints) / 1024 };
  }

  for (const [start, words, lines, maxMegabytes] of [
    ['npm run admin', ['list-users'], people + 1, 200],
    ['node server/admin/main.ts', ['list-users', '--json'], people * 14 + 2, 200],
    ['node server/admin/main.ts', ['list-organizations'], people + 1, 200],
    ['node server/admin/main.ts', ['find-user', 'person', '--limit', String(people)], people + 1, 200],
    ['node server/admin/main.ts', ['export-user', 'user1'], undefined, 200],
  ] as const) {
    it(`${start} ${words.join(' ')} takes less than ${maxMegabytes} MB`, async () => {
      const taken = await run(starts[start], words);
      if (lines !== undefined) expect(taken.lines).to.equal(lines);
      else expect(taken.lines).to.be.greaterThan(messages);
      expect(taken.megabytes).to.be.within(20, maxMegabytes);
    });
  }
});
