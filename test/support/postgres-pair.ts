import { eventually } from './eventually.ts';
import { startPostgres, startStandby } from './postgres-process.ts';

export type PostgresPair = Awaited<ReturnType<typeof startPostgresPair>>;

/**
 * A primary and its standby in `directory`. What the primary has acknowledged is on the standby too, so that a failover
 * loses nothing; while there is no standby, the primary acknowledges nothing.
 */
export async function startPostgresPair(directory: string) {
  await using opened = new AsyncDisposableStack();
  const primary = await startPostgres(directory, { name: 'primary' });
  opened.defer(primary.stop);
  const standby = await startStandby(directory, primary);
  opened.defer(standby.stop);
  await primary.query(`alter system set synchronous_standby_names = '*'`);
  await primary.query('select to_json(pg_reload_conf())');
  await eventually(async () => {
    const [attached] = await primary.query<boolean>(
      `select to_json(count(*) > 0) from pg_stat_replication where sync_state = 'sync'`,
    );
    return attached || undefined;
  });

  const parts = opened.move();
  return {
    primary,
    standby,
    /** The address of both, with libpq's `parameters`. */
    url: (parameters: string) => `postgresql://postgres@${primary.host},${standby.host}/postgres?${parameters}`,
    /** The primary is gone without a word, and some time later the standby takes its place. */
    async failOver(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
      await primary.crash();
      await meanwhile();
      await standby.promote();
    },
    stop: () => parts.disposeAsync(),
  };
}
