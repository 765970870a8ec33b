import { randomBytes } from 'node:crypto';
import { required, testDatabaseUrl } from '../../support/services.ts';
import { databaseOn, onServer } from '../../support/test-database.ts';

/** A database on the test server with nothing in it, as an operator creates one; owned by `owner` where one is named. */
export async function createEmptyDatabase(owner?: string) {
  const server = required(testDatabaseUrl);
  const name = `advisory_chat_empty_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name}${owner === undefined ? '' : ` owner ${owner}`}`);
  const drop = () => onServer(server, `drop database ${name} with (force)`);
  return { url: databaseOn(server, name), drop, [Symbol.asyncDispose]: drop };
}

/** A user of the test server who may sign in and has `attributes`. */
export async function createServerUser(attributes: string) {
  const server = required(testDatabaseUrl);
  const name = `advisory_chat_app_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  await onServer(server, `create role ${name} login ${attributes} password '${password}'`);
  return {
    name,
    /** The address of `database` with this user's name in it. */
    urlOf(database: string) {
      const url = new URL(database);
      url.username = name;
      url.password = password;
      return url.href;
    },
    [Symbol.asyncDispose]: () => onServer(server, `drop role ${name}`),
  };
}
