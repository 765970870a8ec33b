import type { Logger } from 'pino';
import { codeOf, sqlStates } from '../../postgres/sql-states.ts';
import { type Client, callFunction } from '../native-client.ts';

/** The maximum number of messages that one transaction deletes. */
const batchMessages = 2_000;

/** A large conversation is deleted in parts, so a batch can delete messages and no conversation. */
export type PruneResult = { conversations: number; messages: number };

/**
 * Deletes a batch of conversations whose last message is older than `retainDays` by the database's clock, and at most
 * `maxMessages` messages. Returns null if another process is deleting conversations. `operator` is the actor in the audit
 * trail.
 */
export function pruneConversations(
  client: Client,
  retainDays: number,
  operator: string,
  maxMessages = batchMessages,
): Promise<PruneResult | null> {
  return callFunction<PruneResult | null>(client, 'prune_old_conversations', {
    retain_days: retainDays,
    most_messages: maxMessages,
    operator,
  });
}

export const hasPruned = ({ conversations, messages }: PruneResult): boolean => conversations > 0 || messages > 0;

type Prune = (retainDays: number, operator: string, maxMessages: number) => Promise<PruneResult | null>;

/** The first run is delayed, because many clients reconnect right after the service starts. */
const firstRunDelayMilliseconds = 60_000;
const intervalMilliseconds = 3_600_000;

/** The pause between two batches lets other statements run. */
const batchPauseMilliseconds = 100;

type Options = { prune: Prune; retainDays: number; logger: Logger };

/**
 * Deletes old conversations once an hour, in small batches. If the server cancels a batch because it takes too long, the
 * following ones have half as many messages. `stop` resolves when no batch is in flight.
 */
export function startRetention({ prune, retainDays, logger }: Options) {
  let maxMessages = batchMessages;
  let deleted = 0;
  let lastSuccessAt = Date.now();
  let stopped = false;
  let batch: Promise<void> = Promise.resolve();
  let timer = schedule(firstRunDelayMilliseconds);

  function schedule(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      batch = runBatch().then((mayHaveMore) => {
        if (!stopped) timer = schedule(mayHaveMore ? batchPauseMilliseconds : intervalMilliseconds);
      });
    }, milliseconds).unref();
  }

  /** Resolves to whether another batch should follow soon. */
  async function runBatch(): Promise<boolean> {
    try {
      const pruned = await prune(retainDays, 'service', maxMessages);
      if (pruned !== null) {
        lastSuccessAt = Date.now();
        deleted += pruned.conversations;
        if (hasPruned(pruned)) return true;
      }
    } catch (err) {
      logger.warn({ err, mostMessages: maxMessages }, 'failed to delete old conversations');
      if (codeOf(err) === sqlStates.queryCanceled && maxMessages > 1) {
        maxMessages = Math.floor(maxMessages / 2);
        return true;
      }
    }
    if (deleted > 0) logger.info({ conversations: deleted, retainDays }, 'old conversations deleted');
    deleted = 0;
    return false;
  }

  return {
    /** The Unix time of the last successful batch, or else of the start of the process. */
    get lastSuccessSeconds(): number {
      return lastSuccessAt / 1000;
    },

    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await batch;
    },
  };
}
