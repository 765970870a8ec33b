import type { EngagementState } from '../../engagement/engagement-state.ts';
import { dataSection } from '../data-section.ts';

const recorded = `The record of the engagement as it stands now. An empty list means that nothing of the kind is
recorded yet. Earlier replies in this conversation may rest on an older record; where they differ, this one holds.`;

const noneYet = `No engagement state is recorded yet: no week, no hypotheses, no unknowns, no findings. Say so where it
matters, and help with what comes first: the question the engagement is to answer, then a few hypotheses and unknowns
worth recording.`;

export function engagementStateLayer(engagement: EngagementState | null): string {
  return `# L6 Engagement state

${engagement === null ? noneYet : recorded}

${dataSection({ engagement: engagement === null ? null : ordered(engagement) })}`;
}

/** A part with its keys in a fixed order, which the database does not keep. A key forgotten here does not compile. */
type Ordered<Part> = Record<keyof Part, unknown>;

type Hypothesis = EngagementState['hypotheses'][number];
type Unknown = EngagementState['unknowns'][number];
type Finding = EngagementState['findings'][number];

const orderedHypothesis = ({ statement, status, evidence }: Hypothesis): Ordered<Hypothesis> => ({
  statement,
  status,
  evidence,
});
const orderedUnknown = ({ question, whyItMatters }: Unknown): Ordered<Unknown> => ({ question, whyItMatters });
const orderedFinding = ({ statement, week }: Finding): Ordered<Finding> => ({ statement, week });

function ordered({ week, focus, hypotheses, unknowns, findings }: EngagementState): Ordered<EngagementState> {
  return {
    week,
    focus,
    hypotheses: hypotheses.map(orderedHypothesis),
    unknowns: unknowns.map(orderedUnknown),
    findings: findings.map(orderedFinding),
  };
}
