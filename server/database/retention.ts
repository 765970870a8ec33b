import type { Logger } from 'pino';
import { type Client, callFunction } from './client.ts';

/** The maximum number of conversations that one transaction deletes, with their messages. */
const batchSize = 100;

/**
 * Deletes a batch of conversations whose last message is older than `retainDays` by the database's clock. Returns their
 * number, or null if another process is deleting conversations. `operator` is the actor in the audit trail.
 */
export function pruneConversations(client: Client, retainDays: number, operator: string): Promise<number | null> {
  return callFunction<number | null>(client, 'prune_old_conversations', {
    retain_days: retainDays,
    batch_size: batchSize,
    operator,
  });
}

type Prune = (retainDays: number, operator: string) => Promise<number | null>;

/** The first run is delayed, because many clients reconnect right after the service starts. */
const firstRunMilliseconds = 60_000;
const intervalMilliseconds = 3_600_000;

/** The pause between two batches lets other statements run. */
const batchPauseMilliseconds = 100;

type Options = { prune: Prune; retainDays: number; logger: Logger };

/** Deletes old conversations once an hour, in small batches. `stop` resolves when no batch is in flight. */
export function startRetention({ prune, retainDays, logger }: Options) {
  let deleted = 0;
  let stopped = false;
  let batch: Promise<void> = Promise.resolve();
  let timer = schedule(firstRunMilliseconds);

  function schedule(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      batch = runBatch();
    }, milliseconds).unref();
  }

  async function runBatch(): Promise<void> {
    const conversations = await prune(retainDays, 'service').catch((error) => {
      logger.warn({ err: error }, 'failed to delete old conversations');
      return null;
    });
    const mayHaveMore = conversations !== null && conversations > 0;
    if (mayHaveMore) deleted += conversations;
    else if (deleted > 0) {
      logger.info({ conversations: deleted, retainDays }, 'old conversations deleted');
      deleted = 0;
    }
    if (!stopped) timer = schedule(mayHaveMore ? batchPauseMilliseconds : intervalMilliseconds);
  }

  return {
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await batch;
    },
  };
}
