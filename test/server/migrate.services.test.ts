import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { migrateDatabase, openAdministration, openDatabase } from '../../server/database/database.ts';
import { noTimeLimit, openOrm } from '../../server/database/orm.ts';
import { migrations } from '../../server/database/schema/migrations.ts';
import { createLogger } from '../../server/http/logger.ts';
import { closing } from '../support/closing.ts';
import { signIn } from '../support/people.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { executeOnServer } from '../support/test-database.ts';
import { refusal } from './database/scenes.ts';
import { createEmptyDatabase, createLogin, createOwnedDatabase } from './database/schema/empty-database.ts';
import { runProgram } from './run-program.ts';

const names = migrations.map(({ name }) => name);
const newest = names.at(-1);
const steps = [...names, 'functions'];
const silent = createLogger({ level: 'silent' });

describe('npm run migrate, on a PostgreSQL server', () => {
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

  const settings = () => ({ kind: 'postgresql', url: variables.DATABASE_URL }) as const;
  const bothLogins = () => ({ ...settings(), ownerUrl: variables.DATABASE_MIGRATION_URL });
  const openUnmigrated = () => openDatabase(settings(), silent, { migrateAtStart: false });

  it('creates the schema as its owner and grants the privileges of the serving login, also again if they were revoked', async () => {
    const migrate = () => runProgram('migrate.ts', [], variables);
    const granted = `Granted the privileges for serving requests to the login ${serving}.\n`;
    expect(await migrate()).to.deep.equal({
      code: 0,
      output: `Applied ${steps.join(', ')}.\n${granted}`,
      errorOutput: '',
    });
    await executeOnServer(superuser, `revoke all on all functions in schema public from ${serving}`);
    expect((await migrate()).output).to.equal(`The schema is already up to date.\n${granted}`);
    await using database = closing(await openUnmigrated());
    const person = await signIn(database, { subject: '1', name: 'Avery', email: null });
    expect(person.name).to.equal('Avery');
  });

  it('is recommended by a start with MIGRATE=false and by operator commands if a migration is pending', async () => {
    const unmigrated = await refusal(openUnmigrated());
    expect(unmigrated.message).to.equal(`The schema is outdated: it lacks ${steps.join(', ')}. Run npm run migrate.`);
    await migrateDatabase(bothLogins(), silent);
    await executeOnServer(superuser, `delete from schema_migrations where name = '${newest}'`);
    const sentence = `The schema is outdated: it lacks ${newest}. Run npm run migrate.`;
    expect((await refusal(openUnmigrated())).message).to.equal(sentence);
    expect((await refusal(openAdministration(bothLogins(), silent, 'operator'))).message).to.equal(sentence);
  });

  it('accepts a newer schema without changing it', async () => {
    await migrateDatabase(bothLogins(), silent);
    await executeOnServer(superuser, `insert into schema_migrations (name) values ('2099-01-01-later')`);
    expect(await migrateDatabase(bothLogins(), silent)).to.deep.equal({ applied: [], grantee: serving });
    await (await openUnmigrated()).close();
    const { administration, close } = await openAdministration(bothLogins(), silent, 'operator');
    expect((await administration.listUsers()).rows).to.deep.equal([]);
    await close();
  });

  it('runs once if several instances start concurrently on an empty database', async () => {
    const instances = await Promise.all([1, 2, 3, 4].map(() => openDatabase(bothLogins(), silent)));
    await Promise.all(instances.map((instance) => instance.close()));
    expect((await migrateDatabase(bothLogins(), silent)).applied).to.deep.equal([]);
  });
});

describe('a migration that waits for a table lock', () => {
  for (const [title, begin] of [
    ['a start', (DATABASE_URL: string, DATA_DIR: string) => serveInProcess({ DATABASE_URL, DATA_DIR })],
    ['npm run migrate', (DATABASE_URL: string) => serveInProcess({ DATABASE_URL }, { program: 'server/migrate.ts' })],
  ] as const) {
    it(`ends when ${title} is stopped, without changing the schema`, async () => {
      await using empty = await createEmptyDatabase();
      const data = await temporaryDirectory();
      const settings = { kind: 'postgresql', url: empty.url } as const;
      await migrateDatabase(settings, silent);
      // With a time limit, its connections end after 11 seconds without traffic, and the start of a program can take longer.
      await using orm = await openOrm(settings, silent, noTimeLimit);
      const readComment = `select obj_description('schema_migrations'::regclass) as comment`;
      const outdated = 'Functions of 0.9.0, sha256 other';
      await orm.em.fork().execute(`comment on table schema_migrations is '${outdated}'`);
      await orm.em.fork().transactional(async (em) => {
        // Allows reads, but blocks the comment that is set when the functions are replaced.
        await em.execute('lock table schema_migrations in share update exclusive mode');
        const program = begin(empty.url, data.path);
        await program.printed(/table locked; retrying the migration/);
        program.kill('SIGTERM');
        expect(await program.exited).to.equal(128 + 15);
      });
      expect(await orm.em.fork().execute(readComment)).to.deep.equal([{ comment: outdated }]);
      await data.remove();
    });
  }
});
