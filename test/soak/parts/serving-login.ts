import { tenantRole } from '../../../server/database/tenant.ts';
import type { Postgres } from '../../support/postgres-process.ts';

const name = 'soak_serving';

/** The address of a login that owns nothing, as the operations guide makes it; the migrations grant it what it needs. */
export async function createServingLogin({ url, query }: Pick<Postgres, 'url' | 'query'>): Promise<string> {
  await query(`create role ${tenantRole} nologin nosuperuser nobypassrls`);
  await query(`create role ${name} login noinherit nosuperuser nobypassrls`);
  await query(`grant ${tenantRole} to ${name}`);
  const address = new URL(url);
  address.username = name;
  return address.href;
}
