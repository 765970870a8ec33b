/*
 * A terminal client for Advisory Chat. Each line of the standard input is a question.
 *
 *     node terminal-client.ts [ADDRESS]
 *
 * ADDRESS is the address of a chat route, by default http://localhost:3000/api/chat/demo. Live chat, /api/chat, needs the cookie
 * of a session: ADVISORY_CHAT_COOKIE='advisory-chat-3000=…', or the whole line 'Cookie: advisory-chat-3000=…'. Replies go to the standard
 * output, everything else to the standard error. Ctrl-C stops a reply, or ends the program if there is none. Ctrl-D ends it. An
 * empty line asks the last question again unless its reply is complete.
 *
 * `npx advisory-chat-client check -- node terminal-client.ts` checks it. The command sets ADVISORY_CHAT_URL: the address, which makes the
 * program print the result of each turn as JSON, and ADVISORY_CHAT_CLOCK_SPEED: 20 makes waits and the time limit 20 times shorter.
 *
 * Requires the package advisory-chat-client, which implements the retry table, and Node 22.18 or newer, which runs TypeScript.
 */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { type Clock, createConversation, secondsLeft, systemClock, type TurnOutcome } from 'advisory-chat-client';

const [address = 'http://localhost:3000/api/chat/demo'] = process.argv.slice(2);
const { ADVISORY_CHAT_URL, ADVISORY_CHAT_COOKIE = '', ADVISORY_CHAT_CLOCK_SPEED = '1' } = process.env;
const isChecked = ADVISORY_CHAT_URL !== undefined;
const cookie = ADVISORY_CHAT_COOKIE.replace(/^cookie: */i, '');
const clockSpeed = Number(ADVISORY_CHAT_CLOCK_SPEED);

const clock: Clock = {
  now: () => Date.now(),
  steadyNow: () => systemClock.steadyNow() * clockSpeed,
  after: (milliseconds, action, isAwaited) => systemClock.after(milliseconds / clockSpeed, action, isAwaited),
};

const conversation = createConversation({
  url: ADVISORY_CHAT_URL ?? address,
  clock,
  ...(cookie !== '' && { headers: { Cookie: cookie } }),
});

/** Escapes control characters, except tabs and line feeds: they could change the terminal or what it shows. */
const printable = (text: string) =>
  text.replace(/(?![\n\t])\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

const note = (text: string) => process.stderr.write(`${printable(text)}\n`);

/** The length of the printed part of the current reply. */
let shownCharacters = 0;
let { phase: shownPhase } = conversation.getState();

conversation.subscribe(() => {
  const { turns, phase } = conversation.getState();
  if (phase.name === 'streaming') {
    const { reply = '' } = turns.at(-1) ?? {};
    if (!isChecked) process.stdout.write(printable(reply.slice(shownCharacters)));
    shownCharacters = reply.length;
  }
  if (phase.name === 'retrying' && phase !== shownPhase) {
    note(`${phase.sentence} Trying again in ${phase.waitSeconds} s.`);
  }
  shownPhase = phase;
});

process.on('SIGINT', () => {
  if (conversation.getState().phase.name === 'idle') process.exit();
  conversation.stop();
});

for await (const line of createInterface({ input: process.stdin })) {
  const question = line.trim();
  shownCharacters = 0;
  const outcome = await (question === '' ? conversation.tryAgain() : conversation.send(question));
  const { reply = '' } = conversation.getState().turns.at(-1) ?? {};
  if (isChecked) process.stdout.write(`${JSON.stringify({ reply, complete: outcome?.type === 'done' })}\n`);
  else if (shownCharacters > 0) process.stdout.write('\n');
  const message = outcome?.type === 'done' && reply.trim() === '' ? 'The reply is empty.' : failureMessage(outcome);
  if (message !== undefined) note(message);
}

/** Returns undefined for a complete reply, or if there was nothing to send. */
function failureMessage(outcome: TurnOutcome | null): string | undefined {
  if (outcome === null) {
    const { cooldownUntil } = conversation.getState();
    if (cooldownUntil === null) return undefined;
    return `Rate limited. Try again in ${secondsLeft(cooldownUntil, clock)} s.`;
  }
  if (outcome.type === 'done') return undefined;
  if (outcome.type === 'stopped' || outcome.type === 'left') return 'Stopped.';
  if (outcome.type === 'interrupted') return `The connection broke. (request ${outcome.requestId})`;
  const { sentence, retryAfterSeconds, requestId } = outcome;
  const wait = retryAfterSeconds === undefined ? '' : ` Try again in ${retryAfterSeconds} s.`;
  return `${sentence}${wait} (request ${requestId})`;
}
