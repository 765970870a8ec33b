import { expect } from 'chai';
import { describe, it } from 'mocha';
import { engagementStateSchema } from '../../../server/engagement/engagement-state.ts';
import { readDataSection } from '../../../server/prompt/data-section.ts';
import { demoEngagement } from '../../../server/prompt/demo-engagement.ts';
import { demoPrompt } from '../../../server/prompt/demo-prompt.ts';

const text = demoPrompt.map((block) => block.text).join();

describe('demoPrompt', () => {
  it('is one text block with one cache breakpoint', () => {
    expect(demoPrompt).to.deep.equal([{ type: 'text', text, cache_control: { type: 'ephemeral' } }]);
  });

  it('composes neither L4 to L6 nor L8', () => {
    expect(text.match(/^# .*$/gm)).to.deep.equal([
      '# L1 Role and remit',
      '# L2 Advisory method',
      '# L3 House style',
      '# This demonstration',
      '# The engagement',
      '# L7 Boundaries',
    ]);
    expect(text).not.to.match(/\bL[4-6]\b/);
  });

  it('holds the fictional engagement as its only data, after its heading', () => {
    expect(text.match(/<data>/g)).to.have.lengthOf(1);
    expect(readDataSection(text.slice(text.indexOf('# The engagement')))).to.deep.equal(demoEngagement);
  });

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
