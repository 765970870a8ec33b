import type { Client } from 'pg';
import type { Parameters } from './address.ts';

export type TargetSession = Parameters['target_session_attrs'];

type Session = { standby: boolean; readOnly: boolean };

/** What each word asks of a server, as libpq has it. */
const suits: Record<TargetSession, (session: Session) => boolean> = {
  any: () => true,
  'read-write': ({ standby, readOnly }) => !standby && !readOnly,
  'read-only': ({ standby, readOnly }) => standby || readOnly,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'prefer-standby': ({ standby }) => standby,
};

/** What is asked of the servers in one round, and in the next where none suits. */
export function roundsOf(target: TargetSession): readonly TargetSession[] {
  return target === 'prefer-standby' ? [target, 'any'] : [target];
}

/** Whether the server that `client` is connected to is what is asked for. One round trip, unless any will do. */
export async function isSuited(client: Client, target: TargetSession): Promise<boolean> {
  if (target === 'any') return true;
  const { rows } = await client.query<Session>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`,
  );
  const [session] = rows;
  return session !== undefined && suits[target](session);
}
