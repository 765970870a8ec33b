import { Migration } from '@mikro-orm/migrations';

const callers = [
  ...['find_session', 'sign_in', 'begin_session', 'end_sessions'],
  ...['open_turn', 'open_budgeted_turn', 'close_turn', 'close_budgeted_turn', 'settle_turn'],
];

/**
 * What a request calls waits for a lock no longer than the request does, also where the process that called it is gone and
 * cannot cancel it. As a setting of the functions it costs no round trip, and counts behind a pooler. Whoever replaces one
 * of them has to set it again.
 */
export class LockWaitsMigration extends Migration {
  override up(): void {
    this.addSql(`do $$
      declare
        called regprocedure;
      begin
        for called in
          select pg_proc.oid::regprocedure from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
            where nspname = current_schema() and proname in (${callers.map((name) => `'${name}'`).join(', ')})
        loop
          execute format('alter function %s set lock_timeout = ''10s''', called);
        end loop;
      end $$`);
  }
}
