import { createHash } from 'node:crypto';
import type { ProviderAnswer, ProviderRequest, ProviderStep } from '../provider-answer.ts';
import { contentText, type ProviderBody } from '../provider-request.ts';
import { createProviderServer } from '../provider-server.ts';
import { readConditioning } from './conditioning.ts';
import { requestedBehaviour } from './offline-phrases.ts';
import { lengthened, offlineReply } from './offline-reply.ts';
import { createRefusalCounts } from './refusal-counts.ts';

/** Named in every reply, so that what is stored says who wrote it. */
const model = 'offline-stand-in';

const wordsBeforeInterruption = 12;

/**
 * Starts the stand-in for the model provider on a free loopback port: it says what it was told, word by word with
 * `paceMilliseconds` between the words, and misbehaves as `offline-phrases.ts` documents.
 */
export function createOfflineModelServer(options: { paceMilliseconds?: number } = {}) {
  const { paceMilliseconds = 20 } = options;
  const refusals = createRefusalCounts();

  function answer({ body }: ProviderRequest): ProviderAnswer {
    const question = contentText(body.messages.at(-1)?.content ?? '');
    const behaviour = requestedBehaviour(question);
    const { refusal } = behaviour;
    if (refusal !== undefined && refusals.take(conversationKey(body), refusal.times)) {
      const { status, type } = refusal;
      return { refuse: { status, type, message: 'The offline stand-in was asked to refuse this.' } };
    }
    const reply = offlineReply(readConditioning(body.system), question, body.messages.length - 1);
    const text = behaviour.words === undefined ? reply : lengthened(reply, behaviour.words);
    return { model, steps: sayWords(text, behaviour.paceMilliseconds ?? paceMilliseconds, behaviour.interruption) };
  }

  return createProviderServer({ answer });
}

function* sayWords(text: string, paceMilliseconds: number, interruption?: ProviderStep[]): Generator<ProviderStep> {
  const words = text.match(/\s*\S+/g) ?? [];
  for (const word of interruption === undefined ? words : words.slice(0, wordsBeforeInterruption)) {
    yield { text: word };
    if (paceMilliseconds > 0) yield { wait: paceMilliseconds };
  }
  yield* interruption ?? [];
}

function conversationKey({ messages }: ProviderBody): string {
  const hash = createHash('sha256');
  for (const { role, content } of messages) hash.update(`${role}\n${contentText(content)}\n\n`);
  return hash.digest('base64');
}
