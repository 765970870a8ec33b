import { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { copiedTables } from '../../../../server/database/operators/copy.ts';
import { type Orm, ormOptions } from '../../../../server/database/orm.ts';
import { executeOnServer } from '../../../support/test-database.ts';

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  /** The average number of rows per loop. */
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
};

export type WatchedPlan = {
  statement: string;
  scans: Scan[];
  /** Whether the statement was JIT-compiled, which takes tens of milliseconds. */
  compiled: boolean;
};

/** A scan of one table. `rows` includes the rows that the filter removed. */
type Scan = { type: string; table: string; index: string | undefined; rows: number };

type Notice = { message?: string };
type NotifyingPool = { on(event: 'connect', listener: (client: NoticeSource) => void): unknown };
type NoticeSource = { on(event: 'notice', listener: (notice: Notice) => void): unknown };

/**
 * Opens `url`, whose login is `login`, on one connection that reports the plan of every statement, including those in
 * functions and foreign-key checks. `server` is a superuser's URL.
 */
export async function openWatchedDatabase(server: string, url: string, login: string) {
  for (const [setting, value] of Object.entries({
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  })) {
    await executeOnServer(server, `alter role ${login} set ${setting} = '${value}'`);
  }
  const plans: WatchedPlan[] = [];
  const watch = (pool: NotifyingPool) =>
    pool.on('connect', (client) =>
      client.on('notice', ({ message = '' }) => {
        const [, json] = message.split('plan:\n');
        if (json === undefined) return;
        const { 'Query Text': statement, Plan, JIT } = JSON.parse(json);
        plans.push({ statement, scans: scansOf(Plan), compiled: JIT !== undefined });
      }),
    );
  const orm: Orm = await MikroORM.init({
    ...ormOptions(pino({ level: 'silent' })),
    driver: PostgreSqlDriver,
    clientUrl: url,
    driverOptions: { max: 1, onPoolCreated: watch },
  });
  return {
    orm,
    async plansOf(work: () => Promise<unknown>): Promise<WatchedPlan[]> {
      plans.length = 0;
      await work();
      return [...plans];
    },
  };
}

const growing: ReadonlySet<string> = new Set(copiedTables);

function scansOf(node: PlanNode): Scan[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, Plans = [] } = node;
  const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  // A plan also lists nodes that were never executed; their loop count is 0.
  const isRead = table !== undefined && growing.has(table) && type.endsWith('Scan') && node['Actual Loops'] > 0;
  const own = isRead ? [{ type, table, index, rows }] : [];
  return [...own, ...Plans.flatMap(scansOf)];
}
