import { expect } from 'chai';
import { formatAppendedError, formatError } from '../../../shared/errors.ts';
import type { Attempt, MessageRow, Question, Records } from '../records.ts';
import { simulatedTurns } from './simulated-run.ts';

/** Each changes records in which everything is right, and says which rule has to see it, and as what. */
export type Defects = Record<string, { rule: string; sees: string; plant: (records: Records) => void }>;

export const defects: Defects = {
  'an answer is missing': {
    rule: 'stored replies',
    sees: 'the reply is not stored',
    plant: ({ stored }) => remove(stored.messages, wholeAnswer(stored.messages)),
  },
  'an answer is stored twice': {
    rule: 'stored replies',
    sees: 'the same reply is stored twice',
    plant: ({ stored }) => stored.messages.push({ ...wholeAnswer(stored.messages), id: 'again', position: 10_000 }),
  },
  'a question is missing': {
    rule: 'stored questions',
    sees: 'it is missing from conversation',
    plant: ({ stored }) => remove(stored.messages, found(stored.messages, isQuestion)),
  },
  'a question is stored twice': {
    rule: 'stored questions',
    sees: 'it is stored twice though it was unanswered',
    plant({ stored }) {
      const row = found(stored.messages, isQuestion);
      stored.messages.splice(stored.messages.indexOf(row) + 1, 0, {
        ...row,
        id: 'again',
        position: row.position + 0.5,
      });
    },
  },
  'a question is stored in other words': {
    rule: 'stored questions',
    sees: 'it is not stored as asked',
    plant({ stored }) {
      found(stored.messages, isQuestion).content += '?';
    },
  },
  'a refused question is stored': {
    rule: 'stored questions',
    sees: 'it was refused and is stored all the same',
    plant(records) {
      const { attempt, row } = firstOfLive(records);
      for (const own of records.attempts.filter(({ turn }) => turn === attempt.turn)) {
        Object.assign(own, { status: 429, body: formatError('RATE_LIMITED', 9), retryAfterSeconds: 9 });
        own.headers.conversationId = null;
      }
      expect(row.role).to.equal('USER');
    },
  },
  'a row is in the wrong organization': {
    rule: 'scope',
    sees: 'the row is in the wrong organization',
    plant({ stored }) {
      wholeAnswer(stored.messages).orgId = 'organization-9';
    },
  },
  'a row is the wrong person’s': {
    rule: 'scope',
    sees: 'the row is the wrong person’s',
    plant({ stored }) {
      found(stored.messages, isQuestion).userId = 'user-9';
    },
  },
  'a row is in a conversation of somebody else': {
    rule: 'scope',
    sees: 'an answer without its question before it',
    plant({ stored }) {
      const row = wholeAnswer(stored.messages);
      row.conversationId = found(stored.conversations, ({ userId }) => userId !== row.userId).id;
    },
  },
  'there is a row that nobody asked for': {
    rule: 'scope',
    sees: 'a row that nobody asked for',
    plant: ({ stored }) =>
      stored.messages.push({ ...wholeAnswer(stored.messages), requestId: 'nobody', content: 'Hm.' }),
  },
  'demo chat has left a row': {
    rule: 'scope',
    sees: 'demo chat has left a row',
    plant(records) {
      const { requestId } = found(records.attempts, ({ turn }) => turn % 5 === 0);
      records.stored.messages.push({ ...found(records.stored.messages, isQuestion), requestId, position: 10_000 });
    },
  },
  'there is a conversation without a message': {
    rule: 'scope',
    sees: 'it holds nothing',
    plant: ({ stored }) =>
      stored.conversations.push({ id: 'empty', orgId: 'organization-0', userId: 'user-0', lastMessageAt: null }),
  },
  'lastMessageAt was not bumped': {
    rule: 'scope',
    sees: 'ms after the last answer',
    plant({ stored }) {
      answeredConversation(stored).lastMessageAt = 1_600_000_000_000;
    },
  },
  'another table has changed': {
    rule: 'scope',
    sees: 'the table users has changed',
    plant({ stored }) {
      stored.others.after.users = 'five';
    },
  },
  'a connection is left in a transaction': {
    rule: 'scope',
    sees: '1 connections are left in a transaction',
    plant(records) {
      records.openTransactions = 1;
    },
  },
  'the token counts are wrong': {
    rule: 'stored replies',
    sees: 'the token counts are not the provider’s',
    plant({ stored }) {
      wholeAnswer(stored.messages).outputTokens = 1;
    },
  },
  'the counts are those of another reply': {
    rule: 'stored replies',
    sees: 'the token counts are not the provider’s',
    plant({ stored }) {
      wholeAnswer(stored.messages).inputTokens = 9_999;
    },
  },
  'the stop reason is missing': {
    rule: 'stored replies',
    sees: 'the stop reason is null and not',
    plant({ stored }) {
      wholeAnswer(stored.messages).stopReason = null;
    },
  },
  'a stored text is cut short': {
    rule: 'stored replies',
    sees: 'a cut text with a stop reason',
    plant({ stored }) {
      const row = wholeAnswer(stored.messages);
      row.content = row.content.slice(0, -1);
    },
  },
  'the error text is stored': {
    rule: 'stored replies',
    sees: 'the error text is stored',
    plant(records) {
      const { requestId } = found(
        records.attempts,
        ({ body, turn }) => turn % 5 !== 0 && body.endsWith(formatAppendedError('UPSTREAM_ERROR')),
      );
      found(records.stored.messages, (row) => isAnswer(row) && row.requestId === requestId).content +=
        formatAppendedError('UPSTREAM_ERROR');
    },
  },
  'less is stored than a client saw before it left': {
    rule: 'stored replies',
    sees: 'less is stored than the client saw',
    plant(records) {
      const left = found(records.attempts, isLeftLate);
      const row = found(records.stored.messages, (one) => isAnswer(one) && one.requestId === left.requestId);
      row.content = row.content.slice(0, left.body.length - 1);
    },
  },
  'an answer is stored of a turn that failed before any text': {
    rule: 'stored replies',
    sees: 'stored although the turn failed before any text',
    plant(records) {
      const row = wholeAnswer(records.stored.messages);
      const last = records.attempts.findLast(({ requestId }) => requestId === row.requestId);
      Object.assign(last ?? {}, { status: 502, body: formatError('UPSTREAM_ERROR') });
    },
  },
  'a client got a text that the provider did not send': {
    rule: 'answers',
    sees: 'the text is not what the provider sent',
    plant(records) {
      cleanAnswer(records).body += '!';
    },
  },
  'a client got the reply to another question': {
    rule: 'answers',
    sees: 'this is the reply to another question',
    plant(records) {
      const own = cleanAnswer(records);
      own.body = found(records.attempts, (other) => isClean(other) && other.turn !== own.turn).body;
    },
  },
  'a reply ended well that the provider had broken off': {
    rule: 'answers',
    sees: 'a clean end of a reply that is not whole',
    plant(records) {
      const failed = found(records.attempts, ({ body }) => body.endsWith(formatAppendedError('UPSTREAM_ERROR')));
      failed.body = failed.body.slice(0, -formatAppendedError('UPSTREAM_ERROR').length);
    },
  },
  'a turn failed for no reason': {
    rule: 'answers',
    sees: 'UPSTREAM_ERROR for no reason',
    plant: (records) =>
      Object.assign(cleanAnswer(records), {
        status: 502,
        body: formatError('UPSTREAM_ERROR'),
        retryAfterSeconds: null,
      }),
  },
  'an uncaught error reached somebody while the database was well': {
    rule: 'answers',
    sees: 'INTERNAL for no reason',
    plant: (records) => Object.assign(cleanAnswer(records), { status: 500, body: formatError('INTERNAL') }),
  },
  'a connection failed for no reason': {
    rule: 'answers',
    sees: 'the connection failed for no reason',
    plant: (records) => Object.assign(cleanAnswer(records), { status: null, body: '', ending: 'cut' }),
  },
  'an attempt came to no end': {
    rule: 'answers',
    sees: 'it came to no end',
    plant: (records) => Object.assign(cleanAnswer(records), { ending: null, endedAt: null }),
  },
  'the request id was not echoed': {
    rule: 'answers',
    sees: 'the request id was not echoed',
    plant(records) {
      cleanAnswer(records).headers.requestId = 'another';
    },
  },
  'a demo answer names a conversation': {
    rule: 'answers',
    sees: 'demo chat names a conversation or a prompt version',
    plant({ attempts }) {
      found(attempts, (one) => isClean(one) && one.turn % 5 === 0).headers.conversationId = 'c';
    },
  },
  'a turn was appended to another conversation than the one asked for': {
    rule: 'answers',
    sees: 'the turn was not appended to the conversation that was asked for',
    plant(records) {
      cleanAnswer(records).askedConversationId = `c${'1'.repeat(24)}`;
    },
  },
  'a person was shown another text than the one received': {
    rule: 'shown',
    sees: 'was shown as done with',
    plant({ questions }) {
      shownOf(questions, 'done').reply += '!';
    },
  },
  'a failure was shown as a reply': {
    rule: 'shown',
    sees: 'but it is failed with',
    plant({ questions }) {
      shownOf(questions, 'failed').ending = 'done';
    },
  },
  'a person was left waiting': {
    rule: 'shown',
    sees: 'came to no end',
    plant({ questions }) {
      shownOf(questions, 'done').stuck = true;
    },
  },
  'somebody got more than the limit': {
    rule: 'limits',
    sees: 'requests were let through within 60 s, 3 are allowed',
    plant(records) {
      records.limits.live = { requests: 3, windowSeconds: 60 };
    },
  },
  'somebody was refused below the limit': {
    rule: 'limits',
    sees: 'of 60 requests',
    plant: (records) =>
      Object.assign(cleanAnswer(records), { status: 429, body: formatError('RATE_LIMITED', 9), retryAfterSeconds: 9 }),
  },
  'a request to the provider is still open': {
    rule: 'provider requests',
    sees: 'it is still open',
    plant: ({ replies }) => Object.assign(replies[9] ?? {}, { endedAt: null }),
  },
  'a request to the provider outlived its client': {
    rule: 'provider requests',
    sees: 'ms after its client had left',
    plant({ replies }) {
      const reply = replies[9];
      if (reply?.endedAt) reply.endedAt += 1_500;
    },
  },
  'a prompt names another organization': {
    rule: 'provider requests',
    sees: 'the prompt names',
    plant: ({ replies }) => replies[9]?.marks.push('[organization 9]'),
  },
  'a request holds a turn of somebody else': {
    rule: 'provider requests',
    sees: 'the messages hold a turn of somebody else',
    plant: ({ replies }) => replies[9]?.turnsNamed.push((replies[9].turn % simulatedTurns) + 1),
  },
  'the heap grows': {
    rule: 'process',
    sees: 'the heap has grown from 50.0 MB to 53.0 MB',
    plant({ samples, questions }) {
      const [question] = questions;
      if (question) questions.push(...Array.from({ length: 1_000 }, () => question));
      for (const sample of samples.between) if (sample.progress > 2 / 3) sample.heapUsedBytes += 3 * 2 ** 20;
    },
  },
  'a socket is left': {
    rule: 'process',
    sees: '3 of TCPSocketWrap are left, 2 were there before',
    plant({ samples }) {
      samples.idleAfter.resources = { TCPSocketWrap: 3 };
    },
  },
  'a kind of handle is left that was not there before': {
    rule: 'process',
    sees: '1 of FSReqPromise are left, 0 were there before',
    plant({ samples }) {
      samples.idleAfter.resources = { FSReqPromise: 1 };
    },
  },
  'the process ended badly': {
    rule: 'process',
    sees: 'process 1 ended with 1',
    plant: ({ lives }) => Object.assign(lives[1] ?? {}, { code: 1 }),
  },
  'the log tells of a lost row': {
    rule: 'process',
    sees: 'the log says',
    plant: ({ logLines }) => logLines.push('{"msg":"a write was abandoned: this row is lost"}'),
  },
  'the log repeats what somebody said': {
    rule: 'process',
    sees: '1 lines of the log repeat',
    plant: ({ logLines }) => logLines.push('{"msg":"[question 7] Why?"}'),
  },
  'a question is stored in a conversation that its client was not told of': {
    rule: 'stored questions',
    sees: 'it is stored in a conversation that the client was not told of',
    plant({ stored }) {
      const row = found(stored.messages, isQuestion);
      stored.messages.push({ ...row, id: 'again', position: 10_000, conversationId: 'elsewhere' });
    },
  },
  'a conversation belongs to somebody else than its messages': {
    rule: 'scope',
    sees: 'the row is in a conversation of somebody else',
    plant({ stored }) {
      answeredConversation(stored).userId = 'user-9';
    },
  },
  'lastMessageAt was never set': {
    rule: 'scope',
    sees: 'lastMessageAt is missing',
    plant({ stored }) {
      answeredConversation(stored).lastMessageAt = null;
    },
  },
  'lastMessageAt is set without an answer': {
    rule: 'scope',
    sees: 'lastMessageAt is set without an answer',
    plant({ stored }) {
      stored.messages = stored.messages.filter(isQuestion);
    },
  },
  'an answer is under the request of another turn': {
    rule: 'stored replies',
    sees: 'a reply to another question',
    plant({ stored }) {
      const row = wholeAnswer(stored.messages);
      row.requestId = found(stored.messages, ({ requestId }) => requestId !== row.requestId).requestId;
    },
  },
  'a text is stored that no client saw and no provider sent': {
    rule: 'stored replies',
    sees: 'the text is not what the provider sent',
    plant({ stored }) {
      wholeAnswer(stored.messages).content += ' and more';
    },
  },
  'the model is not the one that answered': {
    rule: 'stored replies',
    sees: 'wrong model or prompt version',
    plant({ stored }) {
      wholeAnswer(stored.messages).model = 'another';
    },
  },
  'an answer names no conversation': {
    rule: 'answers',
    sees: 'no conversation is named',
    plant(records) {
      cleanAnswer(records).headers.conversationId = null;
    },
  },
  'an answer names another prompt version': {
    rule: 'answers',
    sees: 'the prompt version is 2.0.0',
    plant(records) {
      cleanAnswer(records).headers.promptVersion = '2.0.0';
    },
  },
  'a failure asks to wait that is no refusal': {
    rule: 'answers',
    sees: 'Retry-After belongs to 429',
    plant(records) {
      cleanAnswer(records).retryAfterSeconds = 3;
    },
  },
  'an error line was appended to a good reply': {
    rule: 'answers',
    sees: 'an error line after',
    plant(records) {
      cleanAnswer(records).body += formatAppendedError('UPSTREAM_ERROR');
    },
  },
  'an error line has another code': {
    rule: 'answers',
    sees: 'UPSTREAM_AUTH was appended',
    plant(records) {
      cleanAnswer(records).body += formatAppendedError('UPSTREAM_AUTH');
    },
  },
  'a status does not go with its code': {
    rule: 'answers',
    sees: 'an unknown error',
    plant(records) {
      Object.assign(cleanAnswer(records), { status: 503, body: formatError('INTERNAL') });
    },
  },
  'a stop cut an answer that had begun': {
    rule: 'answers',
    sees: 'a stop cut an answer that had begun',
    plant({ faults }) {
      Object.assign(faults[0] ?? {}, { failing: ['product stopped'] });
    },
  },
  'a turn was never sent': {
    rule: 'shown',
    sees: 'was never sent',
    plant({ questions }) {
      shownOf(questions, 'done').attempts = 9;
    },
  },
  'the provider was asked for nobody': {
    rule: 'provider requests',
    sees: 'a request that nobody asked for',
    plant({ replies }) {
      const [reply] = replies;
      if (reply !== undefined) replies.push({ ...reply, turn: 9_999 });
    },
  },
  'the provider was asked for too many tokens': {
    rule: 'provider requests',
    sees: 'max_tokens is 9999',
    plant({ replies }) {
      Object.assign(replies[9] ?? {}, { maxTokens: 9_999 });
    },
  },
  'a process does not end': {
    rule: 'process',
    sees: 'process 1 is still there',
    plant({ lives }) {
      Object.assign(lives[1] ?? {}, { exitedAt: null });
    },
  },
};

export function found<T>(values: readonly T[], wanted: (value: T) => boolean): T {
  const value = values.find(wanted);
  if (value === undefined) throw new Error('The simulated run has nothing of the kind.');
  return value;
}

/** After more than the mark by which a reply is known. */
export function isLeftLate({ ending, turn, body }: Attempt): boolean {
  return ending === 'left' && turn % 5 !== 0 && body.length > 20;
}

function remove<T>(values: T[], value: T): void {
  values.splice(values.indexOf(value), 1);
}

const isQuestion = ({ role }: MessageRow) => role === 'USER';
const isAnswer = ({ role }: MessageRow) => role === 'ASSISTANT';

function wholeAnswer(rows: readonly MessageRow[]): MessageRow {
  return found(rows, ({ stopReason, content }) => stopReason !== null && content.length > 20);
}

function isClean({ status, ending, body }: Attempt): boolean {
  return status === 200 && ending === 'whole' && body !== '' && !body.endsWith(']');
}

/** One of live chat's. */
function cleanAnswer({ attempts }: Records): Attempt {
  return found(attempts, (attempt) => isClean(attempt) && attempt.turn % 5 !== 0);
}

function firstOfLive(records: Records): { attempt: Attempt; row: MessageRow } {
  const row = found(records.stored.messages, isQuestion);
  return { row, attempt: found(records.attempts, ({ requestId }) => requestId === row.requestId) };
}

function answeredConversation({ conversations }: Records['stored']) {
  return found(conversations, ({ lastMessageAt }) => lastMessageAt !== null);
}

function shownOf(questions: readonly Question[], ending: string): NonNullable<Question['shown']> {
  const { shown } = found(questions, (question) => question.shown?.ending === ending);
  if (shown === null) throw new Error('Nothing was shown.');
  return shown;
}
