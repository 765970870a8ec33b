import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../../server/config/config.ts';
import { migrate } from '../../../server/database/migrations.ts';
import { type Orm, openOrm } from '../../../server/database/orm.ts';
import { checkDatabase } from '../../../server/doctor/check-database.ts';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { databaseOn } from '../../support/test-database.ts';

const logger = pino({ level: 'silent' });
const name = 'advisory_chat_test_doctor';

let server: Orm;
let database: Orm;
let url: string;

const execute = (orm: Orm, sql: string) => orm.em.fork().execute(sql);

beforeEach(async () => {
  const serverUrl = required(testDatabaseUrl);
  url = databaseOn(serverUrl, name);
  server = await openOrm({ kind: 'postgresql', url: serverUrl }, logger);
  await execute(server, `create database ${name}`);
  database = await openOrm({ kind: 'postgresql', url }, logger);
});

afterEach(async () => {
  await database.close(true);
  await execute(server, `drop database ${name} with (force)`);
  await server.close(true);
});

const check = () => checkDatabase(loadConfig({ DATABASE_URL: url }), logger);

describe('checkDatabase', () => {
  it('finds nothing wrong with a migrated database', async () => {
    await migrate(database, { shared: true });
    const findings = await check();
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(['ok', 'ok', 'ok', 'ok']);
  });

  it('says that one login for everything is weaker than one that owns nothing', async () => {
    await migrate(database, { shared: true });
    const texts = (await check()).map(({ text }) => text).join(' ');
    expect(texts).to.include('The login that serves owns the tables. That works, and is weaker');
  });

  it('names the migrations that are missing, and makes none', async () => {
    const findings = await check();
    expect(findings.map(({ outcome }) => outcome)).to.deep.equal(['ok', 'FAILED']);
    expect(findings[1]?.text).to.match(/^The schema lacks 2026-11-21-initial/);
    expect(await execute(database, `select 1 from pg_tables where schemaname = 'public'`)).to.deep.equal([]);
  });

  it('names the tables on which row-level security is not in force', async () => {
    await migrate(database, { shared: true });
    await execute(database, 'alter table conversations disable row level security');
    const findings = await check();
    expect(findings.at(-1)?.outcome).to.equal('FAILED');
    expect(findings.at(-1)?.text).to.include('on conversations.');
  });
});
