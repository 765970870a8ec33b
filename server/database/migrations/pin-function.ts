import type { Migration } from '@mikro-orm/migrations';

/**
 * Makes a function find what it names where the migration made it, and nowhere else, whoever calls it and whatever that
 * caller's search path is. Only who was granted it may call it: some of them work as their owner.
 */
export function pinFunction(migration: Migration, signature: string): void {
  migration.addSql(`do $$ begin
      execute format('alter function ${signature} set search_path = %I, pg_temp', current_schema());
    end $$`);
  migration.addSql(`revoke execute on function ${signature} from public`);
}
