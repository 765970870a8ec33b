import { type Message, messageText } from '../../shared/messages.ts';
import type { EngagementState } from '../engagement/engagement-state.ts';
import { demoEngagement } from './demo-engagement.ts';
import {
  advisoryMethod,
  boundaries,
  dataSection,
  engagementStateLayer,
  houseStyle,
  type OrganizationFacts,
  organizationLayer,
  roleAndRemit,
  thisTurnLayer,
  type UserFacts,
  userLayer,
} from './layers.ts';

/** One block of a prompt, as the model provider takes it. */
export type SystemBlock = { type: 'text'; text: string; cache_control?: { type: 'ephemeral' } };

/**
 * Spread into a block, it has the provider keep everything up to and including that block in its cache.
 * A request may carry at most four: a live prompt has three, the last message the fourth.
 */
const cacheBreakpoint = { cache_control: { type: 'ephemeral' } } as const;

export function systemBlock(text: string): SystemBlock {
  return { type: 'text', text };
}

function systemBlockWithBreakpoint(text: string): SystemBlock {
  return { ...systemBlock(text), ...cacheBreakpoint };
}

/** A message as the model provider takes it. */
export type CacheableMessage = { role: Message['role']; content: string | SystemBlock[] };

/**
 * The same messages with a cache breakpoint on the last block of the last one, so that the next turn, which replays
 * them all, reads them from the provider's cache. The input is left as it is.
 */
export function withCacheBreakpoint(messages: readonly Message[]): CacheableMessage[] {
  const last = messages.length - 1;
  return messages.map((message, index) => (index === last ? endingInBreakpoint(message) : message));
}

function endingInBreakpoint({ role, content }: Message): CacheableMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const last = blocks.length - 1;
  return { role, content: blocks.map((block, index) => (index === last ? { ...block, ...cacheBreakpoint } : block)) };
}

/**
 * What a live reply is conditioned on. `engagement` is null where the caller has no engagement state yet.
 * `today` is a date (`YYYY-MM-DD`, UTC) without a time: a prompt that changed with every turn would never be read from
 * the provider's cache.
 */
export type PromptFacts = {
  organization: OrganizationFacts;
  user: UserFacts;
  engagement: EngagementState | null;
  today: string;
};

/**
 * The system prompt of live chat: eight layers, L1 to L8, a block each.
 * Breakpoints end what is the same for everyone (L3), for every turn of a person (L5), and the whole (L8).
 */
export function composeLivePrompt({ organization, user, engagement, today }: PromptFacts): SystemBlock[] {
  return [
    systemBlock(roleAndRemit),
    systemBlock(advisoryMethod),
    systemBlockWithBreakpoint(houseStyle),
    systemBlock(organizationLayer(organization)),
    systemBlockWithBreakpoint(userLayer(user)),
    systemBlock(engagementStateLayer(engagement)),
    systemBlock(boundaries),
    systemBlockWithBreakpoint(thisTurnLayer(today)),
  ];
}

const { name } = demoEngagement.organization;

const thisDemonstration = `# This demonstration

This is the public demonstration of the service. ${name}, the engagement below and all of its figures are
invented: no such company exists. Say so whenever you are asked, and whenever someone seems to take it for real.

- You are talking with a visitor who is not signed in and of whom you know nothing. Treat the visitor as a member of the
  engagement's team, as far as they play along.
- Stay with the facts given. Where the conversation needs one that is not there, say that the record does not hold it,
  or go on with an assumption that you call one. Do not add to the story as if it were on record.
- When visitors speak of an organization of their own, help in general terms. Say that you have no record of it here,
  that this demonstration keeps nothing and is no place for confidential matters, and that signing in is the way to an
  engagement of their own.`;

const theEngagement = `# The engagement

The company and the record of its engagement as they stand now.

${dataSection(demoEngagement)}`;

/**
 * The system prompt of demo chat: one block, the same bytes for every visitor.
 * What is particular to a caller (L4 to L6) and to a turn (L8) is absent.
 */
export const demoPrompt: readonly SystemBlock[] = [
  systemBlockWithBreakpoint(
    [roleAndRemit, advisoryMethod, houseStyle, thisDemonstration, theEngagement, boundaries].join('\n\n'),
  ),
];

/** In UTF-8. Most text has four; a rare script has more tokens than characters. */
const bytesPerToken = 4;

/** About how many tokens the provider counts for so many bytes of text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/** Of each system prompt; that of live chat with no facts in its layers, so that it is the same for every caller. */
const promptBytes = {
  live: bytesOf(
    composeLivePrompt({
      organization: { name: '', industry: null, size: null },
      user: { name: null, role: null },
      engagement: null,
      today: '2026-01-01',
    }).map(({ text }) => text),
  ),
  demo: bytesOf(demoPrompt.map(({ text }) => text)),
};

/** The tokens of a route's prompt with these messages, without what the caller's facts add to it. */
export function estimatePrompt(route: keyof typeof promptBytes, messages: readonly Message[]): number {
  return estimateTokens(promptBytes[route] + bytesOf(messages.map(messageText)));
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
}
