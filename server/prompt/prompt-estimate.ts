import type { Message } from '../../shared/messages.ts';
import { demoPrompt } from './demo-prompt.ts';
import { composeLivePrompt } from './live-prompt.ts';

/** What most text comes to. */
const charactersPerToken = 4;

/** About how many tokens the provider will count for `characters` of text. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** The same for every caller: the layers with no facts in them. */
const livePromptCharacters = lengthOf(
  composeLivePrompt({
    organization: { name: '', industry: null, size: null },
    user: { name: null, role: null },
    engagement: null,
    today: '2026-01-01',
  }),
);
const demoPromptCharacters = lengthOf(demoPrompt);

/** The tokens of a live prompt with these messages, without what the caller's facts add to it. */
export function estimateLivePrompt(messages: readonly Message[]): number {
  return estimateTokens(livePromptCharacters + lengthOfMessages(messages));
}

/** The tokens of a demo prompt with these messages. */
export function estimateDemoPrompt(messages: readonly Message[]): number {
  return estimateTokens(demoPromptCharacters + lengthOfMessages(messages));
}

function lengthOfMessages(messages: readonly Message[]): number {
  return messages.reduce(
    (length, { content }) => length + (typeof content === 'string' ? content.length : lengthOf(content)),
    0,
  );
}

function lengthOf(blocks: readonly { text: string }[]): number {
  return blocks.reduce((length, { text }) => length + text.length, 0);
}
