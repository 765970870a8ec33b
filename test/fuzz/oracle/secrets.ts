import { canaries } from '../canaries.ts';
import type { Rule } from './evidence.ts';

const { typed, ...hidden } = canaries;

/** Nothing of the server's inside, of its secrets and of other people is in an answer. */
export const secretsInAnswers: Rule = ({ exchanged, greeting }) => {
  const inside = [greeting.root, 'node_modules', 'node:internal', 'SQLSTATE', 'insert into', 'Error:', '\n    at '];
  return [...Object.values(hidden), ...greeting.otherSecrets, ...inside]
    .filter((secret) => exchanged.received.includes(secret))
    .map((secret) => `An answer has ${JSON.stringify(secret)} in it.`);
};

/** Secrets and what people type are in no log line; where bytes were changed, a path may hold any of them. */
export const secretsInLogs: Rule = ({ tried, settled, greeting }) => {
  const secrets = [...Object.values(hidden), ...greeting.otherSecrets, ...(tried.spliced === null ? [typed] : [])];
  return settled.lines.flatMap((line) =>
    secrets
      .filter((secret) => line.includes(secret))
      .map((secret) => `A log line has ${secret} in it: ${line.slice(0, 600)}`),
  );
};
