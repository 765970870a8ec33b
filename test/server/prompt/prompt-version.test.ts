import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { composeLivePrompt, demoPrompt } from '../../../server/prompt/prompts.ts';
import { promptVersion } from '../../../shared/interface.ts';

const facts = {
  organization: { name: 'Organization', industry: null, size: null },
  user: { name: null, role: null },
  engagement: { week: 1, hypotheses: [], unknowns: [], findings: [] },
  today: '2026-11-21',
};

describe('promptVersion', () => {
  // Every stored reply names the version that it was written under. When this fails, the wording, the order or the
  // serialisation of a prompt has changed: decide whether replies before and after are still to be told apart by
  // version, raise `promptVersion` if so, and pin the new pair here.
  it('belongs to exactly this wording: who changes a prompt decides about its version, then pins both anew', () => {
    const prompts = [composeLivePrompt(facts), composeLivePrompt({ ...facts, engagement: null }), demoPrompt];
    const sha256 = createHash('sha256').update(JSON.stringify(prompts)).digest('hex');
    expect({ promptVersion, sha256 }).to.deep.equal({
      promptVersion: '1.0.0',
      sha256: '8cc2b59ae358d4daabd36f84d35dc1335ec4581885f9f1bbaaf86bd1658f3943',
    });
  });
});
