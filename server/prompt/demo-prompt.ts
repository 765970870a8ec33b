import { dataSection } from './data-section.ts';
import { demoEngagement } from './demo-engagement.ts';
import { roleAndRemit } from './layers/l1-role-and-remit.ts';
import { advisoryMethod } from './layers/l2-advisory-method.ts';
import { houseStyle } from './layers/l3-house-style.ts';
import { boundaries } from './layers/l7-boundaries.ts';
import { type SystemBlock, systemBlockWithBreakpoint } from './system-block.ts';

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
