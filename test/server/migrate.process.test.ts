import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { migrations } from '../../server/database/schema/migrations.ts';
import { perSuite } from '../support/per-suite.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { runProgram } from './run-program.ts';

const everything = [...migrations.map(({ name }) => name), 'functions'].join(', ');

describe('npm run migrate, on the embedded database', () => {
  const data = perSuite(() => temporaryDirectory());

  const migrate = () => runProgram('migrate.ts', [], { DATA_DIR: data.path });
  const serve = (variables: Record<string, string> = {}) => serveInProcess({ DATA_DIR: data.path, ...variables });

  it('is recommended by a start with MIGRATE=false if there is no database', async () => {
    const refused = serve({ MIGRATE: 'false' });
    expect(await refused.exited).to.equal(1);
    expect(refused.output).to.deep.equal([
      `Cannot open the database (DATABASE_URL, DATA_DIR): There is no database in ${data.path}. Run npm run migrate to create it.`,
    ]);
    expect(await readdir(data.path)).not.to.include('database');
  });

  it('starts over after an interrupted start, prints the database and the applied migrations, and on a second run that the schema is up to date', async () => {
    const unfinished = join(data.path, 'database.unfinished');
    await mkdir(unfinished);
    await writeFile(join(unfinished, 'PG_VERSION'), 'half a database');
    const expectedOutput = `Migrated the embedded database in ${data.path}. Set DATABASE_URL to migrate a PostgreSQL server.\n`;
    expect(await migrate()).to.deep.equal({
      code: 0,
      output: `Applied ${everything}.\n${expectedOutput}`,
      errorOutput: '',
    });
    expect(await readdir(data.path))
      .to.include('database')
      .and.not.include('database.unfinished');
    expect(await migrate()).to.deep.equal({
      code: 0,
      output: `The schema is already up to date.\n${expectedOutput}`,
      errorOutput: '',
    });
  });

  it('is sufficient for a start with MIGRATE=false', async () => {
    const served = serve({ MIGRATE: 'false' });
    await served.url;
    const busy = await migrate();
    expect(busy.code).to.equal(1);
    expect(busy.errorOutput).to.match(/^The migration failed: Another process is using the embedded/);
    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
  });
});
