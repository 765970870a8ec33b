/**
 * What stands in a case for something that is known only when it is sent: so that a case stays the same from run to run.
 * `code` and `state` are those with which the sign-in of `attempt` comes back.
 */
export const tokens = {
  host: '{{host}}',
  onboarded: '{{onboarded}}',
  newcomer: '{{newcomer}}',
  attempt: '{{attempt}}',
  code: '{{code}}',
  state: '{{state}}',
} as const;

export type Meanings = Record<keyof typeof tokens, string>;

const names = Object.keys(tokens).filter((name): name is keyof typeof tokens => name in tokens);

export function withMeanings(text: string, meanings: Meanings): string {
  return names.reduce((filled, name) => filled.replaceAll(tokens[name], meanings[name]), text);
}
