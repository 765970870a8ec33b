import type { Logger } from 'pino';
import { type Client, callFunction } from './client.ts';

/** Conversations that are deleted in one transaction, with their messages. */
const batchConversations = 100;

export type Prune = (retainDays: number, operator: string) => Promise<number | null>;

/**
 * Deletes some of the conversations whose last message is older than `retainDays` by the database's clock, and gives how
 * many: 0 where none is left, null where another process is deleting them right now. The trail names `operator`.
 */
export function createPrune(client: Client): Prune {
  return (retainDays, operator) =>
    callFunction<number | null>(client, 'prune_old_conversations', {
      retain_days: retainDays,
      batch_size: batchConversations,
      operator,
    });
}

/** Not at the start itself, when people come back all at once. */
const firstRoundMilliseconds = 60_000;
const roundMilliseconds = 3_600_000;

/** Between two batches of a round, which leaves the database to those who chat. */
const pauseMilliseconds = 100;

type Options = { prune: Prune; retainDays: number; logger: Logger };

/**
 * Deletes old conversations while the service runs: once an hour, in small batches, by one process at a time. `stop` ends
 * it, and resolves when no batch is under way.
 */
export function startRetention({ prune, retainDays, logger }: Options) {
  let deleted = 0;
  let stopped = false;
  let batch: Promise<void> = Promise.resolve();
  let timer = schedule(firstRoundMilliseconds);

  function schedule(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      batch = runBatch();
    }, milliseconds).unref();
  }

  async function runBatch(): Promise<void> {
    const conversations = await prune(retainDays, 'service').catch((error) => {
      logger.warn({ err: error }, 'old conversations cannot be deleted');
      return null;
    });
    const goesOn = conversations !== null && conversations > 0;
    if (goesOn) deleted += conversations;
    else if (deleted > 0) {
      logger.info({ conversations: deleted, retainDays }, 'old conversations are deleted');
      deleted = 0;
    }
    if (!stopped) timer = schedule(goesOn ? pauseMilliseconds : roundMilliseconds);
  }

  return {
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await batch;
    },
  };
}
