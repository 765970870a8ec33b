import type { Message } from '../../shared/messages.ts';
import type { RecordedEngagement } from '../engagement/engagement-state.ts';
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

export type SystemBlock = { type: 'text'; text: string; cache_control?: { type: 'ephemeral' } };

/**
 * Makes the provider cache everything up to and including the block that has it. A request can have at most four breakpoints:
 * a live prompt has three, and the last message has the fourth.
 */
const cacheBreakpoint = { cache_control: { type: 'ephemeral' } } as const;

export function systemBlock(text: string): SystemBlock {
  return { type: 'text', text };
}

function systemBlockWithBreakpoint(text: string): SystemBlock {
  return { ...systemBlock(text), ...cacheBreakpoint };
}

export type CacheableMessage = { role: Message['role']; content: string | SystemBlock[] };

/** The breakpoint is on the last block, so that the next turn reads all these messages from the provider's cache. */
export function withCacheBreakpoint(messages: readonly Message[]): CacheableMessage[] {
  const last = messages.length - 1;
  return messages.map((message, index) => (index === last ? withFinalBreakpoint(message) : message));
}

function withFinalBreakpoint({ role, content }: Message): CacheableMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const last = blocks.length - 1;
  return { role, content: blocks.map((block, index) => (index === last ? { ...block, ...cacheBreakpoint } : block)) };
}

/**
 * The data of a live prompt. `engagement` is null if the user has no engagement state. `today` is a date (`YYYY-MM-DD`, UTC)
 * without a time, because a prompt that changes with every turn is never read from the provider's cache.
 */
export type PromptFacts = {
  organization: OrganizationFacts;
  user: UserFacts;
  engagement: RecordedEngagement | null;
  today: string;
};

/**
 * Returns the system prompt of live chat, with one block for each of L1 to L8. Cache breakpoints follow the part that is the
 * same for everyone (L3), the part that is the same for every turn of a user (L5), and the end (L8).
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

const { name: companyName } = demoEngagement.organization;

const demonstrationSection = `# This demonstration

This is the public demonstration of the service. ${companyName}, the engagement below and all of its figures are
invented: no such company exists. Say so whenever you are asked, and whenever someone seems to take it for real.

- You are talking with a visitor who is not signed in and of whom you know nothing. Treat the visitor as a member of the
  engagement's team, as far as they play along.
- Stay with the facts given. Where the conversation needs one that is not there, say that the record does not hold it,
  or go on with an assumption that you call one. Do not add to the story as if it were on record.
- When visitors speak of an organization of their own, help in general terms. Say that you have no record of it here,
  that this demonstration keeps nothing and is no place for confidential matters, and that signing in is the way to an
  engagement of their own.`;

const engagementSection = `# The engagement

The company and the record of its engagement as they stand now.

${dataSection(demoEngagement)}`;

/** Identical for every visitor: it has none of the layers that depend on the user (L4 to L6) or the turn (L8). */
export const demoPrompt: readonly SystemBlock[] = [
  systemBlockWithBreakpoint(
    [roleAndRemit, advisoryMethod, houseStyle, demonstrationSection, engagementSection, boundaries].join('\n\n'),
  ),
];
