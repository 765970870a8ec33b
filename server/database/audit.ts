import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './tenant.ts';
import { storableText } from './values.ts';

/** One line of the trail. It names people by their ids and holds nothing that they wrote. */
export type AuditEvent = {
  action: string;
  /** Who did it: a user's id, or the operator. */
  actor: string;
  /** The id of the person or the thing that it was done to. */
  subject: string | null;
  addressHash?: string;
  requestId?: string;
};

/** Writes the trail in the transaction of what it tells of. Who writes to it may not read it, so nothing is returned. */
export async function record(em: EntityManager, { action, actor, subject, ...from }: AuditEvent): Promise<void> {
  const { addressHash = null, requestId = null } = from;
  await em.execute(
    'insert into audit_events (action, actor, subject, address_hash, request_id) values (?, ?, ?, ?, ?)',
    [action, storableText(actor), subject && storableText(subject), addressHash, requestId && storableText(requestId)],
    'run',
  );
}

export type Operation = ReturnType<typeof createOperation>;

/**
 * What the operator does from the command line: work in one transaction across organizations, with the trail of it.
 * `operator` is the name in the trail.
 */
export function createOperation(orm: Orm, operator: string) {
  return <T>(action: string, subject: string | null, work: (em: EntityManager) => Promise<T>): Promise<T> =>
    acrossOrganizations(orm, async (em) => {
      const result = await work(em);
      await record(em, { action, actor: operator, subject });
      return result;
    });
}
