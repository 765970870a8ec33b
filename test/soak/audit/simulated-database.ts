import { modelName } from '../parts/model-name.ts';
import { fates } from '../plan/fates.ts';
import type { Asker, ConversationRow, MessageRow, ProviderReply, Question, TokenUseRow } from '../records.ts';
import { storedText } from './stored-text.ts';

type Member = Extract<Asker, { route: 'live' }>;

/** What a product that makes no mistake leaves in its database, one conversation for each person. */
export function createSimulatedDatabase() {
  const messages: MessageRow[] = [];
  const conversations = new Map<string, ConversationRow>();
  const tokenUses: TokenUseRow[] = [];

  function conversationOf(member: Member): string {
    const id = conversationIdOf(member);
    const { userId, orgId } = member;
    if (!conversations.has(id)) conversations.set(id, { id, orgId, userId, lastMessageAt: null });
    return id;
  }

  return {
    messages,
    conversations,
    tokenUses,

    /** Stores the question, and as much of the reply as there is to store. */
    store({ turn, asker, text }: Question, reply: ProviderReply, isKilled: boolean): void {
      if (asker.route === 'demo') return;
      const conversationId = conversationOf(asker);
      const row = (role: MessageRow['role'], content: string, createdAt: number): MessageRow => ({
        id: `${role}-${messages.length}`,
        position: messages.length + 1,
        orgId: asker.orgId,
        userId: asker.userId,
        conversationId,
        role,
        content: storedText(content),
        requestId: `request-${turn}`,
        inputTokens: null,
        outputTokens: null,
        cacheReadTokens: null,
        cacheCreateTokens: null,
        stopReason: null,
        model: null,
        promptVersion: null,
        createdAt,
      });
      if (reply.attempt === 1) messages.push(row('USER', text, reply.arrivedAt - 10));
      const { userId, orgId } = asker;
      const use: TokenUseRow = { userId, orgId, tokens: 0, settled: !isKilled, usedAt: reply.arrivedAt - 5 };
      tokenUses.push(use);
      if (isKilled) use.tokens = 6_000;
      if (isKilled || fates[reply.fate].before !== null) return;
      const left = isLeft(reply);
      const isWhole = reply.whole && !left;
      const content = left ? firstPart(reply.text, 0.9) : reply.text;
      const createdAt = reply.arrivedAt + 100;
      const { inputTokens, cacheReadTokens, cacheCreateTokens, outputTokens } = reply.usage;
      const output = isWhole ? outputTokens : Math.max(1, Math.ceil(storedText(content).length / 4));
      use.tokens = inputTokens + cacheReadTokens + cacheCreateTokens + output;
      messages.push({
        ...row('ASSISTANT', content, createdAt),
        ...reply.usage,
        ...(!isWhole && { outputTokens: 1 }),
        stopReason: isWhole ? reply.stopReason : null,
        model: modelName,
        promptVersion: '1.0.0',
      });
      const conversation = conversations.get(conversationId);
      if (conversation) conversation.lastMessageAt = createdAt + 2;
    },
  };
}

export function conversationIdOf({ userId }: Member): string {
  return `c${userId.replace('-', '').padEnd(24, '0')}`;
}

/** Every seventh turn is left in the middle of its text. */
export function isLeft({ turn, text }: ProviderReply): boolean {
  return turn % 7 === 0 && text !== '';
}

/** The mark, which is a delta of its own, and so much of what follows; never half a character. */
export function firstPart(text: string, part: number): string {
  const [mark = ''] = /^\[[^\]]*\]/.exec(text) ?? [];
  const characters = [...text.slice(mark.length)];
  return mark + characters.slice(0, Math.ceil(characters.length * part)).join('');
}
