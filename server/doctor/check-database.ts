import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type Inspection, inspectDatabase, ownsSchema } from '../database/inspection.ts';
import { tenantRole } from '../database/tenant.ts';
import { type Finding, findingsOn, reasonOf, rootCause } from './finding.ts';

const { ok, failed, skipped } = findingsOn('Database');

const oldestMajorVersion = 15;
const mostClockSeconds = 5;

/** Whether PostgreSQL can be reached, is recent enough, has today's schema, and lets the login that serves do its work. */
export async function checkDatabase(config: Config, logger: Logger): Promise<Finding[]> {
  const { databaseUrl, databaseMigrationUrl, databasePool } = config;
  if (databaseUrl === undefined) return [skipped('DATABASE_URL is not set: the embedded database is used.')];
  try {
    const findings = judge(await inspectDatabase(databaseUrl, databasePool, logger));
    if (databaseMigrationUrl === databaseUrl || databaseMigrationUrl === undefined) return findings;
    return [...findings, await checkOwner(databaseMigrationUrl, logger)];
  } catch (error) {
    return [failed(`${reasonOf(error)}. ${adviceOn(error) ?? 'Check DATABASE_URL.'}`)];
  }
}

function judge(inspection: Inspection): Finding[] {
  const { version, majorVersion, pendingMigrations } = inspection;
  const answers = `PostgreSQL ${version} answers.`;
  const findings = [
    majorVersion >= oldestMajorVersion
      ? ok(answers)
      : failed(`${answers} ${oldestMajorVersion} or a newer one is needed.`),
    encryption(inspection),
    clock(inspection),
    connections(inspection),
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
  return [...findings, ok('The schema is up to date.'), login(inspection), ...work(inspection)];
}

function encryption({ encryption: protocol }: Inspection): Finding {
  return ok(
    protocol === null
      ? 'The connection is not encrypted: that is for a database on this machine, or on a network of its own. Else ask for sslmode=verify-full in DATABASE_URL.'
      : `The connection is encrypted (${protocol}).`,
  );
}

function clock({ clockAheadMilliseconds }: Inspection): Finding {
  const seconds = Math.abs(clockAheadMilliseconds) / 1000;
  if (seconds < 0.1) return ok("This machine's clock and the database's agree.");
  const difference = `This machine's clock is ${seconds.toFixed(1)} s ${clockAheadMilliseconds > 0 ? 'ahead of' : 'behind'} the database's`;
  return seconds <= mostClockSeconds
    ? ok(`${difference}.`)
    : failed(`${difference}: have both set by a time server. Sessions end by one and budgets by the other.`);
}

function connections({ connections: { most, inUse, reserved, pool } }: Inspection): Finding {
  const left = Math.max(0, most - reserved - inUse);
  const counts = `${left} of ${most} connections are left (${inUse} in use, ${reserved} kept for superusers); a process takes up to ${pool}.`;
  return left >= pool
    ? ok(counts)
    : failed(`${counts} Raise max_connections, lower DATABASE_POOL, or put a pooler in front.`);
}

function login({ login: { name, ownsTables, privileged } }: Inspection): Finding {
  if (privileged) {
    return ok(
      `The login ${name}, which serves, passes row-level security by itself. That works, and is weaker than one that owns nothing: see DATABASE_MIGRATION_URL.`,
    );
  }
  return ok(
    ownsTables
      ? 'The login that serves owns the tables. That works, and is weaker than one that owns nothing: see DATABASE_MIGRATION_URL.'
      : 'The login that serves owns nothing.',
  );
}

function work({ turnError, unprotectedTables }: Inspection): Finding[] {
  if (turnError !== undefined) {
    const advice = adviceOn(turnError) ?? "The database's own log has the statement.";
    return [failed(`A turn cannot be opened and closed: ${reasonOf(turnError)}. ${advice}`)];
  }
  return [
    ok('A turn can be opened and closed; what that wrote was taken back.'),
    unprotectedTables.length === 0
      ? ok(`Row-level security is in force for ${tenantRole}.`)
      : failed(
          `Row-level security is not in force for ${tenantRole} on ${unprotectedTables.join(', ')}. ` +
            'Enable it there, and see that the role is neither superuser nor owner and has no BYPASSRLS.',
        ),
  ];
}

/** By SQLSTATE, what a restore leaves behind that was not made for this product: no role, no function, no rights. */
function adviceOn(error: unknown): string | undefined {
  const cause = rootCause(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (['22023', '42704', '42883', '42P01'].includes(code)) {
    return `After a restore: make the roles first, ${tenantRole} among them, and then restore anew (docs/operations.md, Backups).`;
  }
  if (code !== '42501') return undefined;
  return (
    `The login of DATABASE_URL has to be a member of ${tenantRole}, and both need the rights that the migrations gave them. ` +
    'After a restore: restore anew without --no-acl (docs/operations.md, Backups).'
  );
}

async function checkOwner(url: string, logger: Logger): Promise<Finding> {
  try {
    return (await ownsSchema(url, logger))
      ? ok('The login of DATABASE_MIGRATION_URL owns the tables.')
      : failed('The login of DATABASE_MIGRATION_URL does not own the tables: it cannot change the schema.');
  } catch (error) {
    return failed(`${reasonOf(error)}. Check DATABASE_MIGRATION_URL.`);
  }
}
