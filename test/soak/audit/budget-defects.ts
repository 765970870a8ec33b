import { budgetSentences, errorSentence } from '../../../shared/errors.ts';
import type { Attempt, Records } from '../records.ts';
import { type Defects, found } from './defects.ts';
import { budgetRefusal } from './simulated-run.ts';

/** What can be wrong with the tokens that are counted, and with who is refused for them. */
export const budgetDefects: Defects = {
  'a reply is not counted': {
    rule: 'token counts',
    sees: 'what the provider reported is not counted',
    plant: ({ stored }) => stored.tokenUses.splice(3, 1),
  },
  'a reply is counted at less than was reported': {
    rule: 'token counts',
    sees: 'what the provider reported is not counted',
    plant({ stored }) {
      found(stored.tokenUses, ({ tokens }) => tokens > 1_000_000).tokens -= 1;
    },
  },
  'a reply is counted twice': {
    rule: 'token counts',
    sees: 'nobody asked for them',
    plant({ stored }) {
      const use = found(stored.tokenUses, ({ tokens }) => tokens > 1_000_000);
      stored.tokenUses.push({ ...use, usedAt: use.usedAt - 100_000 });
    },
  },
  'more is counted for somebody who left than any reply comes to': {
    rule: 'token counts',
    sees: 'no reply is that long',
    plant({ stored }) {
      const use = found(stored.tokenUses, ({ tokens }) => tokens > 1_000_000);
      stored.tokenUses.push({ ...use });
    },
  },
  'a refused turn is counted': {
    rule: 'token counts',
    sees: 'nobody asked for them',
    plant(records) {
      const refused = refusedAttempt(records);
      refused.sentAt += 60_000;
      const use = found(records.stored.tokenUses, ({ tokens }) => tokens > 1_000_000);
      records.stored.tokenUses.push({ ...use, tokens: 0, usedAt: refused.sentAt + 5 });
    },
  },
  'a reservation is left though its reply has ended': {
    rule: 'token counts',
    sees: 'what the provider reported is not counted',
    plant({ stored }) {
      found(stored.tokenUses, ({ tokens }) => tokens > 1_000_000).settled = false;
    },
  },
  'a reservation is left of a turn that nobody killed': {
    rule: 'token counts',
    sees: 'they are still reserved',
    plant({ faults }) {
      found(faults, ({ kind }) => kind === 'product killed').failing = ['product stopped'];
    },
  },
  'a turn began when its person had nothing left': {
    rule: 'budgets',
    sees: 'a turn began when',
    plant(records) {
      records.budgets.user = 10_000;
    },
  },
  'a turn began when its organization had nothing left': {
    rule: 'budgets',
    sees: 'of the organization’s 10000 tokens were used',
    plant(records) {
      records.budgets.organization = 10_000;
    },
  },
  'somebody was refused who had something left': {
    rule: 'budgets',
    sees: 'tokens were used at the most',
    plant(records) {
      records.budgets.user = 5_000_000;
    },
  },
  'somebody was refused whose organization had something left': {
    rule: 'budgets',
    sees: 'of the organization’s 10000000 tokens were used at the most',
    plant(records) {
      const wait = errorSentence('RATE_LIMITED', 80_000, budgetSentences.organization);
      refusedAttempt(records).body = `RATE_LIMITED: ${wait}`;
    },
  },
  'a visitor was refused by a budget that was not used up': {
    rule: 'budgets',
    sees: 'a budget that nobody could use up refused: demo',
    plant(records) {
      const visitor = found(records.attempts, ({ turn, status }) => turn % 5 === 0 && status === 200);
      const wait = errorSentence('RATE_LIMITED', 80_000, budgetSentences.demo);
      Object.assign(visitor, { status: 429, body: `RATE_LIMITED: ${wait}`, retryAfterSeconds: 80_000 });
    },
  },
  'the provider was asked for a refused turn': {
    rule: 'budgets',
    sees: 'the provider was asked for a turn that a budget refused',
    plant(records) {
      const { turn, sentAt } = refusedAttempt(records);
      const [reply] = records.replies;
      if (reply) records.replies.push({ ...reply, turn, arrivedAt: sentAt + 5 });
    },
  },
  'a budget asks to wait for longer than a day': {
    rule: 'budgets',
    sees: 'a budget’s Retry-After is 90000',
    plant(records) {
      refusedAttempt(records).retryAfterSeconds = 90_000;
    },
  },
};

function refusedAttempt({ attempts }: Records): Attempt {
  return found(attempts, ({ body }) => body === budgetRefusal);
}
