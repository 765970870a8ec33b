import type { EngagementState } from '../../engagement/engagement-state.ts';
import { dataSection } from '../data-section.ts';

const recorded = `The record of the engagement as it stands now. An empty list means that nothing of the kind is recorded yet. Earlier
replies in this conversation may rest on an older record; where they differ from this one, this one holds.`;

const noneYet = `No engagement state is recorded yet: no week, no hypotheses, no unknowns, no findings. Say so where it matters, and help
with what comes first: the question the engagement is to answer, then a few hypotheses and unknowns worth recording.`;

export function engagementStateLayer(engagement: EngagementState | null): string {
  return `# L6 Engagement state

${engagement === null ? noneYet : recorded}

${dataSection({ engagement: engagement === null ? null : inFixedOrder(engagement) })}`;
}

/** The database does not keep the order of keys; a part that is forgotten here does not compile. */
function inFixedOrder({ week, focus, hypotheses, unknowns, findings }: EngagementState) {
  return {
    week,
    focus,
    hypotheses: hypotheses.map(
      ({ statement, status, evidence }) =>
        ({ statement, status, evidence }) satisfies Whole<EngagementState['hypotheses'][number]>,
    ),
    unknowns: unknowns.map(
      ({ question, whyItMatters }) => ({ question, whyItMatters }) satisfies Whole<EngagementState['unknowns'][number]>,
    ),
    findings: findings.map(
      ({ statement, week }) => ({ statement, week }) satisfies Whole<EngagementState['findings'][number]>,
    ),
  } satisfies Whole<EngagementState>;
}

type Whole<Part> = Record<keyof Part, unknown>;
