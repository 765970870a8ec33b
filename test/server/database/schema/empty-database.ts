import { randomBytes } from 'node:crypto';
import { tenantRole } from '../../../../server/database/tenant.ts';
import { required, testDatabaseUrl } from '../../../support/services.ts';
import { databaseOn, executeOnServer } from '../../../support/test-database.ts';

export async function createEmptyDatabase(owner?: string) {
  const server = required(testDatabaseUrl);
  const name = `advisory_chat_empty_${randomBytes(6).toString('hex')}`;
  await executeOnServer(server, `create database ${name}${owner === undefined ? '' : ` owner ${owner}`}`);
  const drop = () => executeOnServer(server, `drop database ${name} with (force)`);
  return { url: databaseOn(server, name), drop, [Symbol.asyncDispose]: drop };
}

export async function createLogin(attributes: string) {
  const server = required(testDatabaseUrl);
  const name = `advisory_chat_app_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  await executeOnServer(server, `create role ${name} login ${attributes} password '${password}'`);
  return {
    name,
    urlOf(database: string) {
      const url = new URL(database);
      url.username = name;
      url.password = password;
      return url.href;
    },
    [Symbol.asyncDispose]: () => executeOnServer(server, `drop role ${name}`),
  };
}

/** The owner cannot create roles and is subject to row-level security. The tenant role exists already. */
export async function createOwnedDatabase() {
  await using opened = new AsyncDisposableStack();
  const server = required(testDatabaseUrl);
  await executeOnServer(
    server,
    `do $$ begin create role ${tenantRole} nologin nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
  );
  const owner = opened.use(await createLogin(''));
  await executeOnServer(server, `grant ${tenantRole} to ${owner.name} with admin option`);
  const { url } = opened.use(await createEmptyDatabase(owner.name));
  const parts = opened.move();
  return {
    owner: owner.name,
    url: owner.urlOf(url),
    superuserUrl: url,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
