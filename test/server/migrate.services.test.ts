import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { migrateDatabase, openDatabase } from '../../server/database/database.ts';
import { openOrm } from '../../server/database/orm.ts';
import { migrations } from '../../server/database/schema/migrations.ts';
import { createLogger } from '../../server/http/logger.ts';
import { closing } from '../support/closing.ts';
import { eventually } from '../support/eventually.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { executeOnServer } from '../support/test-database.ts';
import { refusal } from './database/scenes.ts';
import { createEmptyDatabase, createLogin, createOwnedDatabase } from './database/schema/empty-database.ts';
import { runProgram } from './run-program.ts';

const names = migrations.map(({ name }) => name);
const newest = names.at(-1);
const steps = [...names, 'functions'];
const silent = createLogger({ level: 'silent' });

describe('npm run migrate, on a PostgreSQL server', function () {
  this.timeout(60_000);
  let opened: AsyncDisposableStack;
  let variables: { DATABASE_URL: string; DATABASE_MIGRATION_URL: string };
  let serving: string;
  let superuser: string;

  beforeEach(async () => {
    opened = new AsyncDisposableStack();
    const login = opened.use(await createLogin('noinherit'));
    const owned = opened.use(await createOwnedDatabase());
    serving = login.name;
    superuser = owned.superuserUrl;
    variables = { DATABASE_URL: login.urlOf(superuser), DATABASE_MIGRATION_URL: owned.url };
  });
  afterEach(() => opened.disposeAsync());

  const migrate = () => runProgram('migrate.ts', [], variables);
  const settings = () => ({ kind: 'postgresql', url: variables.DATABASE_URL }) as const;
  const openUnmigrated = () => openDatabase(settings(), silent, { migrateAtStart: false });

  it('creates the schema as its owner and grants the privileges of the serving login', async () => {
    expect(await migrate()).to.deep.equal({
      code: 0,
      output: `Applied ${steps.join(', ')}.\nGranted the privileges for serving requests to the login ${serving}.\n`,
      errorOutput: '',
    });
    await using database = closing(await openUnmigrated());
    const identity = { provider: 'google', subject: '1', name: 'Avery', email: null, emailVerified: false };
    const from = { requestId: 'request 1', addressHash: 'somewhere' };
    const signedIn = await database.users.signIn({ ...identity, ...from, invitation: null, maySignUp: true });
    expect(signedIn).to.have.nested.property('person.name', 'Avery');
  });

  it('restores revoked privileges even if the schema is up to date', async () => {
    await migrate();
    await executeOnServer(superuser, `revoke all on all functions in schema public from ${serving}`);
    expect((await migrate()).output).to.equal(
      `The schema is already up to date.\nGranted the privileges for serving requests to the login ${serving}.\n`,
    );
    await using database = closing(await openUnmigrated());
    expect(await database.sessionStore.findActive([])).to.deep.equal(new Set());
  });

  it('is recommended by a start with MIGRATE=false and by operator commands if a migration is pending', async () => {
    const unmigrated = await refusal(openUnmigrated());
    expect(unmigrated.message).to.equal(`The schema is outdated: it lacks ${steps.join(', ')}. Run npm run migrate.`);
    await migrate();
    await executeOnServer(superuser, `delete from schema_migrations where name = '${newest}'`);
    const sentence = `The schema is outdated: it lacks ${newest}. Run npm run migrate.`;
    expect((await refusal(openUnmigrated())).message).to.equal(sentence);
    const command = await runProgram('admin/main.ts', ['list-users'], variables);
    expect(command).to.deep.equal({ code: 1, output: '', errorOutput: `${sentence}\n` });
  });

  it('accepts a newer schema without changing it', async () => {
    await migrate();
    await executeOnServer(superuser, `insert into schema_migrations (name) values ('2099-01-01-later')`);
    expect((await migrate()).code).to.equal(0);
    await (await openUnmigrated()).close();
    expect((await runProgram('admin/main.ts', ['list-users', '--json'], variables)).output).to.equal('[]\n');
  });

  it('runs once if several instances start concurrently on an empty database', async () => {
    const both = { ...settings(), ownerUrl: variables.DATABASE_MIGRATION_URL };
    const instances = await Promise.all([1, 2, 3, 4].map(() => openDatabase(both, silent)));
    await Promise.all(instances.map((instance) => instance.close()));
    expect((await migrate()).output).to.match(/^The schema is already up to date\./);
  });
});

describe('a migration that waits for a table lock', function () {
  this.timeout(60_000);

  for (const [title, begin] of [
    ['a start', (DATABASE_URL: string, DATA_DIR: string) => serveInProcess({ DATABASE_URL, DATA_DIR })],
    ['npm run migrate', (DATABASE_URL: string) => serveInProcess({ DATABASE_URL }, { program: 'server/migrate.ts' })],
  ] as const) {
    it(`ends when ${title} is stopped, without changing the schema`, async () => {
      await using empty = await createEmptyDatabase();
      const data = await temporaryDirectory();
      const settings = { kind: 'postgresql', url: empty.url } as const;
      await migrateDatabase(settings, silent);
      await using orm = await openOrm(settings, silent);
      const readComment = `select obj_description('schema_migrations'::regclass) as comment`;
      const outdated = 'Functions of 0.9.0, sha256 other';
      await orm.em.fork().execute(`comment on table schema_migrations is '${outdated}'`);
      await orm.em.fork().transactional(async (em) => {
        // Allows reads, but blocks the comment that is set when the functions are replaced.
        await em.execute('lock table schema_migrations in share update exclusive mode');
        const program = begin(empty.url, data.path);
        await eventually(() =>
          program.output.some((line) => line.includes('table locked; retrying the migration')) ? true : undefined,
        );
        program.kill('SIGTERM');
        expect(await program.exited).to.equal(128 + 15);
      });
      expect(await orm.em.fork().execute(readComment)).to.deep.equal([{ comment: outdated }]);
      await data.remove();
    });
  }
});
