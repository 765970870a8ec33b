import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { migrations } from '../../server/database/migrations.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { runProgram } from './run-program.ts';

const everything = migrations.migrationsList.map(({ name }) => name).join(', ');

describe('npm run migrate, on the embedded database', function () {
  this.timeout(60_000);
  let data: Awaited<ReturnType<typeof temporaryDirectory>>;

  before(async () => {
    data = await temporaryDirectory();
  });
  after(() => data.remove());

  const migrate = () => runProgram('migrate.ts', [], { DATA_DIR: data.path });
  const serve = (variables: Record<string, string> = {}) => serveInProcess({ DATA_DIR: data.path, ...variables });

  it('is what a start refers to that is told to migrate nothing, where there is no database', async () => {
    const refused = serve({ MIGRATE: 'false' });
    expect(await refused.exited).to.equal(1);
    expect(refused.output).to.deep.equal([
      `Cannot open the database (DATABASE_URL, DATA_DIR): There is no database in ${data.path} yet: npm run migrate makes one.`,
    ]);
    expect(await readdir(data.path)).not.to.include('database');
  });

  it('brings the schema up to date, says what it lacked, and the second time that it lacked nothing', async () => {
    expect(await migrate()).to.deep.equal({
      code: 0,
      output: `The schema is up to date. It lacked ${everything}.\n`,
      complaints: '',
    });
    expect(await migrate()).to.deep.equal({ code: 0, output: 'The schema was up to date.\n', complaints: '' });
  });

  it('is enough for a start that is told to migrate nothing', async () => {
    const served = serve({ MIGRATE: 'false' });
    await served.url;
    const busy = await migrate();
    expect(busy.code).to.equal(1);
    expect(busy.complaints).to.match(/^The schema cannot be brought up to date: Another process is using the embedded/);
    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
  });

  it('says in a sentence what is wrong with its variables', async () => {
    const { code, complaints } = await runProgram('migrate.ts', [], { NODE_ENV: 'production' });
    expect(code).to.equal(1);
    expect(complaints).to.equal('DATABASE_URL is needed in production: a PostgreSQL server.\n');
  });

  it('says in a sentence that the server is away, without the password', async () => {
    const { code, complaints } = await runProgram('migrate.ts', [], {
      DATABASE_URL: 'postgresql://somebody:hunter2@127.0.0.1:9/advice',
    });
    expect(code).to.equal(1);
    expect(complaints).to.match(/^The schema cannot be brought up to date: .*ECONNREFUSED.*\n$/);
    expect(complaints).not.to.include('hunter2');
  });
});
