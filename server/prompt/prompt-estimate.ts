import { demoPrompt } from './demo-prompt.ts';
import { composeLivePrompt } from './live-prompt.ts';
import type { SystemBlock } from './system-block.ts';

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
export function estimateLivePrompt(messages: readonly unknown[]): number {
  return estimateTokens(livePromptCharacters + lengthOf(messages));
}

/** The tokens of a demo prompt with these messages. */
export function estimateDemoPrompt(messages: readonly unknown[]): number {
  return estimateTokens(demoPromptCharacters + lengthOf(messages));
}

/** The characters in system blocks, in messages, or in a message's content; what is no text has none. */
function lengthOf(parts: readonly unknown[] | readonly SystemBlock[]): number {
  return parts.reduce<number>((length, part) => length + textLength(part), 0);
}

function textLength(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0;
  if ('text' in part) return typeof part.text === 'string' ? part.text.length : 0;
  if (!('content' in part)) return 0;
  if (Array.isArray(part.content)) return lengthOf(part.content);
  return typeof part.content === 'string' ? part.content.length : 0;
}
