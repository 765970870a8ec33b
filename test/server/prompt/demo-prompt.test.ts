import { expect } from 'chai';
import { describe, it } from 'mocha';
import { engagementStateSchema } from '../../../server/engagement/engagement-state.ts';
import { demoEngagement } from '../../../server/prompt/demo-engagement.ts';
import { demoPrompt } from '../../../server/prompt/demo-prompt.ts';

const text = demoPrompt.map((block) => block.text).join();

describe('demoPrompt', () => {
  it('says of itself that it is invented', () => {
    expect(text.replaceAll('\n', ' ')).to.include(
      'are invented: no such company exists. Say so whenever you are asked',
    );
  });
});

describe('demoEngagement', () => {
  it('is a valid engagement state', () => {
    expect(engagementStateSchema.parse(demoEngagement.engagement)).to.deep.equal(demoEngagement.engagement);
  });

  it('records nothing later than its current week', () => {
    const { week, findings } = demoEngagement.engagement;
    expect(findings.filter((finding) => finding.week > week)).to.deep.equal([]);
  });

  it('has as many people as its sites together', () => {
    const people = demoEngagement.organization.sites.reduce((sum, site) => sum + site.people, 0);
    expect(demoEngagement.organization.size).to.equal(`${people} people at three sites`);
  });
});
