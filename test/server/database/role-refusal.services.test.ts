import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { closing } from '../../support/closing.ts';
import { type Postgres, startPostgres } from '../../support/postgres-process.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { databaseOn } from '../../support/test-database.ts';

const silent = pino({ level: 'silent' });

describe('a login that may not make the tenant role', function () {
  this.timeout(60_000);
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let server: Postgres;

  before(async () => {
    directory = await temporaryDirectory();
    server = await startPostgres(directory.path);
  });
  after(async () => {
    await server?.stop();
    await directory?.remove();
  });

  it('is told what an administrator has to do, and that is enough', async () => {
    await server.query('create role advisory_chat_owner login nocreaterole');
    await server.query('create database advisory_chat owner advisory_chat_owner');
    const address = new URL(databaseOn(server.url, 'advisory_chat'));
    address.username = 'advisory_chat_owner';
    const url = address.href;
    const failure = await openDatabase({ kind: 'postgresql', url }, silent).then(
      () => 'It is opened.',
      (error: Error) => error.message,
    );
    expect(failure).to.equal(
      'permission denied to create role. The role advisory_chat_tenant is needed, and the login advisory_chat_owner has to be a ' +
        'member of it. As an administrator of the database server: create role advisory_chat_tenant nologin nosuperuser ' +
        'nobypassrls; (unless it is there) grant advisory_chat_tenant to "advisory_chat_owner"; Then start again.',
    );
    await server.query('create role advisory_chat_tenant nologin nosuperuser nobypassrls');
    await server.query('grant advisory_chat_tenant to "advisory_chat_owner"');
    await using database = closing(await openDatabase({ kind: 'postgresql', url }, silent));
    await database.ping();
  });
});
