import { record } from './audit.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './transactions.ts';

/** What the operator does from the command line: `work` in one transaction across organizations, with the trail of it. */
export type Operation = <T>(
  action: string,
  subject: string | null,
  work: (em: EntityManager) => Promise<T>,
) => Promise<T>;

/** `operator` is the name in the trail. */
export function createOperation(orm: Orm, operator: string): Operation {
  return (action, subject, work) =>
    acrossOrganizations(orm, async (em) => {
      const result = await work(em);
      await record(em, { action, actor: operator, subject });
      return result;
    });
}
