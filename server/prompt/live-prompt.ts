import type { EngagementState } from '../engagement/engagement-state.ts';
import { roleAndRemit } from './layers/l1-role-and-remit.ts';
import { advisoryMethod } from './layers/l2-advisory-method.ts';
import { houseStyle } from './layers/l3-house-style.ts';
import { type OrganizationFacts, organizationLayer } from './layers/l4-organization.ts';
import { type UserFacts, userLayer } from './layers/l5-user.ts';
import { engagementStateLayer } from './layers/l6-engagement-state.ts';
import { boundaries } from './layers/l7-boundaries.ts';
import { thisTurnLayer } from './layers/l8-this-turn.ts';
import { type SystemBlock, systemBlock, systemBlockWithBreakpoint } from './system-block.ts';

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
