import type { Attempt, Records } from '../records.ts';
import { type Defects, found } from './defects.ts';

/** What can be wrong with how people are put out. */
export const suspensionDefects: Defects = {
  'somebody who is suspended was answered': {
    rule: 'suspensions',
    sees: 'it was taken from somebody who is suspended',
    plant(records) {
      Object.assign(lastOfSuspended(records), { status: 200, body: '' });
    },
  },
  'the provider was asked for somebody who is suspended': {
    rule: 'suspensions',
    sees: 'the provider was asked for somebody who is suspended',
    plant(records) {
      const { turn, sentAt } = lastOfSuspended(records);
      const [reply] = records.replies;
      if (reply) records.replies.push({ ...reply, turn, arrivedAt: sentAt + 5 });
    },
  },
  'a reply went on after its person was suspended': {
    rule: 'suspensions',
    sees: 'ms after its person was suspended',
    plant(records) {
      const [first] = ofSuspended(records);
      if (first?.endedAt) first.endedAt += 5_000;
    },
  },
  'a session of somebody who is suspended is left': {
    rule: 'suspensions',
    sees: 'is suspended and has 1 sessions',
    plant({ stored }) {
      Object.assign(stored.suspended[0] ?? {}, { sessions: 1 });
    },
  },
  'a suspension is not stored': {
    rule: 'suspensions',
    sees: 'is not suspended and has 0 sessions',
    plant({ stored }) {
      Object.assign(stored.suspended[0] ?? {}, { isSuspended: false });
    },
  },
  'what somebody asked who is suspended is stored': {
    rule: 'stored questions',
    sees: 'it was refused and is stored all the same',
    plant(records) {
      const { requestId } = lastOfSuspended(records);
      const row = found(records.stored.messages, ({ role }) => role === 'USER');
      records.stored.messages.push({ ...row, id: 'again', position: 10_000, requestId });
    },
  },
  'somebody was signed out who was not suspended': {
    rule: 'answers',
    sees: 'UNAUTHENTICATED for no reason',
    plant(records) {
      records.suspensions = [];
    },
  },
  'a reply was ended whose person was not suspended': {
    rule: 'answers',
    sees: 'an error line after "slow reply"',
    plant(records) {
      records.suspensions = [];
    },
  },
  'a reply that a suspension ended is stored as a whole one': {
    rule: 'stored replies',
    sees: 'the stop reason is end_turn and not null',
    plant(records) {
      const [first] = ofSuspended(records);
      const row = records.stored.messages.find(
        ({ requestId, role }) => requestId === first?.requestId && role === 'ASSISTANT',
      );
      Object.assign(row ?? {}, { stopReason: 'end_turn' });
    },
  },
  'a person was shown an answer who was told to sign in': {
    rule: 'shown',
    sees: 'but it is refused with 0',
    plant(records) {
      const { turn } = lastOfSuspended(records);
      const { shown } = found(records.questions, (question) => question.turn === turn);
      if (shown) shown.ending = 'done';
    },
  },
};

/** The reply that was ended, and the request that was refused. */
function ofSuspended({ attempts, questions, suspensions }: Records): Attempt[] {
  const turns = questions.flatMap(({ turn, asker }) =>
    asker.route === 'live' && asker.userId === suspensions[0]?.userId ? [turn] : [],
  );
  return attempts.filter(({ turn }) => turns.includes(turn));
}

function lastOfSuspended(records: Records): Attempt {
  return found(ofSuspended(records), ({ status }) => status === 401);
}
