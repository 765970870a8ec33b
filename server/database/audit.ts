import type { EntityManager, Orm } from './orm.ts';
import { acrossOrganizations } from './transactions.ts';
import { storableText } from './values.ts';

/** Identifies users by their ids and never includes what they wrote. */
type AuditEvent = {
  action: string;
  /** The id of a user, or the name of the operator. */
  actor: string;
  /** The id of the affected user, organization or invitation, or the request id that the operator searched for. */
  subject: string | null;
  addressHash?: string;
  requestId?: string;
};

/** Must run in the transaction of the change that it records. The tenant role can insert events but not read them. */
export async function recordEvent(em: EntityManager, { action, actor, subject, ...from }: AuditEvent): Promise<void> {
  const { addressHash = null, requestId = null } = from;
  await em.execute(
    'insert into audit_events (action, actor, subject, address_hash, request_id) values (?, ?, ?, ?, ?)',
    [action, storableText(actor), subject && storableText(subject), addressHash, requestId && storableText(requestId)],
    'run',
  );
}

export type RunOperation = ReturnType<typeof createOperationRunner>;

/** Runs each operation and its audit event, whose actor is `operator`, in one transaction across organizations. */
export function createOperationRunner(orm: Orm, operator: string) {
  return <T>(action: string, subject: string | null, work: (em: EntityManager) => Promise<T>): Promise<T> =>
    acrossOrganizations(orm, async (em) => {
      const result = await work(em);
      await recordEvent(em, { action, actor: operator, subject });
      return result;
    });
}
