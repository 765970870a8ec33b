import type { TestDatabase } from '../../support/test-database.ts';

/** Gives a digest of every row that an organization has, in all tables that have rows of organizations. */
export async function createWitness({ rows }: TestDatabase, organizationId: string): Promise<() => Promise<string>> {
  const owned = await rows(
    `select table_name from information_schema.columns
     where table_schema = 'public' and column_name = 'org_id' order by table_name`,
  );
  const digests = [
    `select t::text as row from organizations t where id = $1`,
    ...owned.map(({ table_name: table }) => `select t::text from "${String(table)}" t where org_id = $1`),
  ];
  const statement = `select md5(string_agg(row, '|' order by row)) as digest from (${digests.join(' union all ')}) r`;
  return async () => {
    const [found] = await rows(
      statement.replaceAll('$1', '?'),
      digests.map(() => organizationId),
    );
    return String(found?.digest);
  };
}
