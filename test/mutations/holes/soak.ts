import type { Hole } from '../hole.ts';

const sees = (defect: string) => ({
  file: 'test/soak/audit.test.ts',
  title: `the audit of a soak sees that ${defect}`,
});

/** What the audit of a soak would overlook of budgets and suspensions. */
export const soak: readonly Hole[] = [
  {
    name: 'The audit takes any count for the one that the provider reported',
    file: 'test/soak/audit/token-uses.ts',
    find: '(settled ? tokens >= least && tokens <= most : !isStored);',
    replace: '(settled || !isStored);',
    test: sees('a reply is counted at less than was reported'),
  },
  {
    name: 'The audit excuses every reservation that is left',
    file: 'test/soak/audit/token-counts.ts',
    find: "return isExcused(use, evidence) ? null : 'they are still reserved';",
    replace: 'return null;',
    test: sees('a reservation is left of a turn that nobody killed'),
  },
  {
    name: 'The audit accepts tokens that nobody asked for',
    file: 'test/soak/audit/token-counts.ts',
    find: "if (!wasAsked(use, evidence)) return 'nobody asked for them';",
    replace: '',
    test: sees('a refused turn is counted'),
  },
  {
    name: 'The audit does not look at what was left of a budget when a turn began',
    file: 'test/soak/audit/budgets.ts',
    find: 'if (counted < budget) return [];',
    replace: 'if (counted < Infinity) return [];',
    test: sees('a turn began when its person had nothing left'),
  },
  {
    name: 'The audit believes every refusal by a budget',
    file: 'test/soak/audit/budgets.ts',
    find: 'if (most < records.budgets[whose]) {',
    replace: 'if (most < 0) {',
    test: sees('somebody was refused who had something left'),
  },
  {
    name: 'The audit lets the provider be asked for a refused turn',
    file: 'test/soak/audit/budgets.ts',
    find: 'if (repliesOf(attempt.turn).some((reply) => attemptOf(reply) === attempt)) {',
    replace: 'if (repliesOf(attempt.turn).some((reply) => attemptOf(reply) === null)) {',
    test: sees('the provider was asked for a refused turn'),
  },
  {
    name: 'The audit lets somebody who is suspended go on',
    file: 'test/soak/audit/suspensions.ts',
    find: 'if (status === 200 || status === 429)',
    replace: 'if (status === 429)',
    test: sees('somebody who is suspended was answered'),
  },
  {
    name: 'The audit lets a reply outlast its person’s suspension',
    file: 'test/soak/audit/suspensions.ts',
    find: 'const noticeMilliseconds = 1_000;',
    replace: 'const noticeMilliseconds = 1_000_000;',
    test: sees('a reply went on after its person was suspended'),
  },
  {
    name: 'The audit takes everybody for suspended who is signed out',
    file: 'test/soak/audit/answers.ts',
    find: "if (code === 'UNAUTHENTICATED') return mayBeSuspended(attempt, evidence);",
    replace: "if (code === 'UNAUTHENTICATED') return true;",
    test: sees('somebody was signed out who was not suspended'),
  },
];
