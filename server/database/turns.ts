import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { ChatMessage } from './entities/chat-message.ts';
import { Conversation } from './entities/conversation.ts';
import { EngagementState } from './entities/engagement-state.ts';
import { User } from './entities/user.ts';
import { createId, isId } from './ids.ts';
import type { EntityManager, Orm } from './orm.ts';
import { storableText } from './storable.ts';
import { inOrganization } from './tenant.ts';

type Scope = { orgId: string; userId: string };

type Question = Scope & {
  /** As the client sent it: anything. Only the id of a conversation of this user in this organization counts. */
  conversationId: unknown;
  content: string;
  requestId: string;
};

/** What an assistant message records beside its text; `stopReason` is null where the reply was cut short. */
export type Answer = Scope & {
  /** Made by the caller, so that a write whose acknowledgement was lost can be repeated. */
  id: string;
  conversationId: string;
  content: string;
  requestId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreateTokens: number;
  stopReason: string | null;
  model: string;
  promptVersion: string;
};

export function createTurns(orm: Orm) {
  return {
    /**
     * Commits the `USER` row, and the conversation if this turn begins one, and loads what the prompt is composed from.
     * A retry of the conversation's last, still unanswered question (same request id and content) writes no second row.
     */
    open: (question: Question) =>
      inOrganization(orm, question.orgId, async (em) => {
        const facts = await loadFacts(em, question);
        const conversation = await findConversation(em, question);
        const conversationId = conversation?.id ?? (await insertConversation(em, question));
        if (conversation === null || !(await isUnanswered(em, conversationId, question))) {
          const { orgId, userId, content, requestId } = question;
          await em.insert(ChatMessage, {
            id: createId(),
            orgId,
            userId,
            conversationId,
            role: 'USER',
            content,
            requestId,
          });
        }
        return { conversationId, facts };
      }),

    /** Commits the `ASSISTANT` row and bumps `lastMessageAt`; doing it again with the same id changes nothing. */
    async close(answer: Answer): Promise<void> {
      try {
        await inOrganization(orm, answer.orgId, async (em) => {
          await em.insert(ChatMessage, { ...answer, role: 'ASSISTANT' });
          await em.nativeUpdate(Conversation, { id: answer.conversationId }, { lastMessageAt: new Date() });
        });
      } catch (error) {
        // An earlier attempt was committed, and the word of it was lost.
        if (!(error instanceof UniqueConstraintViolationException)) throw error;
      }
    },
  };
}

async function loadFacts(em: EntityManager, { userId, orgId }: Scope) {
  const user = await em.findOneOrFail(User, { id: userId }, { populate: ['organization'], strategy: 'joined' });
  const state = await em.findOne(EngagementState, { userId, orgId });
  const { name, industry = null, size = null } = user.organization;
  return {
    organization: { name, industry, size },
    user: { name: user.name ?? null, role: user.role ?? null },
    engagement: state && {
      week: state.week,
      ...(state.focus !== null && { focus: state.focus }),
      hypotheses: state.hypotheses,
      unknowns: state.unknowns,
      findings: state.findings,
    },
  };
}

/** Locked until the question is written, so that two requests with one id see each other's row. */
async function findConversation(em: EntityManager, { conversationId, userId }: Question) {
  if (!isId(conversationId)) return null;
  return em.findOne(Conversation, { id: conversationId, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

async function insertConversation(em: EntityManager, { orgId, userId }: Scope) {
  const id = createId();
  await em.insert(Conversation, { id, orgId, userId });
  return id;
}

async function isUnanswered(em: EntityManager, conversationId: string, { content, requestId }: Question) {
  const last = await em.findOne(ChatMessage, { conversationId }, { orderBy: { position: 'desc' } });
  return last?.role === 'USER' && last.requestId === storableText(requestId) && last.content === storableText(content);
}
