import { type Message, messageText } from '../../shared/messages.ts';
import { demoPrompt } from './demo-prompt.ts';
import { composeLivePrompt } from './live-prompt.ts';

/** In UTF-8. Most text comes to four, and a rare script to more tokens than it has characters. */
const bytesPerToken = 4;

/** About how many tokens the provider will count for `text`. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** The same for every caller: the layers with no facts in them. */
const livePromptBytes = bytesOf(
  composeLivePrompt({
    organization: { name: '', industry: null, size: null },
    user: { name: null, role: null },
    engagement: null,
    today: '2026-01-01',
  }).map(({ text }) => text),
);
const demoPromptBytes = bytesOf(demoPrompt.map(({ text }) => text));

/** The tokens of a live prompt with these messages, without what the caller's facts add to it. */
export function estimateLivePrompt(messages: readonly Message[]): number {
  return Math.ceil((livePromptBytes + bytesOf(messages.map(messageText))) / bytesPerToken);
}

/** The tokens of a demo prompt with these messages. */
export function estimateDemoPrompt(messages: readonly Message[]): number {
  return Math.ceil((demoPromptBytes + bytesOf(messages.map(messageText))) / bytesPerToken);
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}
