import { type Client, callFunction } from './client.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Conversations that are deleted in one transaction, with their messages. */
const batchConversations = 100;

export type Prune = (moment: Date, retainDays: number, operator: string) => Promise<number | null>;

/**
 * Deletes some of the conversations whose last message was written more than `retainDays` before `moment`, and gives how
 * many: 0 where there are none any more, null where another process is deleting them right now. The trail names `operator`.
 */
export function createPrune(client: Client): Prune {
  return (moment, retainDays, operator) =>
    callFunction<number | null>(client, 'prune_conversations', {
      kept_since: new Date(moment.valueOf() - retainDays * dayMilliseconds).toISOString(),
      most: batchConversations,
      operator,
    });
}
