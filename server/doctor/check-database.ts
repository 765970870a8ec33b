import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type Inspection, inspectDatabase } from '../database/inspection.ts';
import { tenantRole } from '../database/tenant.ts';
import { type Finding, findingsOn, reasonOf } from './finding.ts';

const { ok, failed, skipped } = findingsOn('Database');

const oldestMajorVersion = 15;

/** Whether PostgreSQL can be reached, is recent enough, has today's schema and keeps organizations apart. */
export async function checkDatabase({ databaseUrl }: Config, logger: Logger): Promise<Finding[]> {
  if (databaseUrl === undefined) return [skipped('DATABASE_URL is not set: the embedded database is used.')];
  try {
    return judge(await inspectDatabase(databaseUrl, logger));
  } catch (error) {
    return [failed(`${reasonOf(error)}. Check DATABASE_URL, and that its user may \`set role ${tenantRole}\`.`)];
  }
}

function judge({ version, majorVersion, pendingMigrations, ownsTables, unprotectedTables }: Inspection): Finding[] {
  const findings = [
    majorVersion >= oldestMajorVersion
      ? ok(`PostgreSQL ${version} answers.`)
      : failed(`PostgreSQL ${version} answers. ${oldestMajorVersion} or a newer one is needed.`),
  ];
  if (pendingMigrations.length > 0) {
    const names = pendingMigrations.join(', ');
    return [
      ...findings,
      failed(
        `The schema lacks ${names}. npm run migrate brings it up to date, and so does a start without MIGRATE=false.`,
      ),
    ];
  }
  return [
    ...findings,
    ok('The schema is up to date.'),
    ownsTables
      ? ok(
          'The login that serves owns the tables. That works, and is weaker than one that owns nothing: see DATABASE_MIGRATION_URL.',
        )
      : ok('The login that serves owns nothing.'),
    unprotectedTables.length === 0
      ? ok(`Row-level security is in force for ${tenantRole}.`)
      : failed(
          `Row-level security is not in force for ${tenantRole} on ${unprotectedTables.join(', ')}. ` +
            'Enable it there, and see that the role is neither superuser nor owner and has no BYPASSRLS.',
        ),
  ];
}
