import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { applyChanges, readChanges } from '../../../server/admin/engagement-changes.ts';
import { perSuite } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';
import { refusal } from '../database/scenes.ts';

const present = {
  week: 4,
  focus: 'Shorter lead times',
  hypotheses: [{ statement: 'Most of the lead time is waiting', status: 'supported' as const, evidence: [] }],
  unknowns: [{ question: 'What waiting costs' }],
  findings: [{ statement: 'Orders wait nine days on average', week: 2 }],
};

describe('applyChanges', () => {
  it('changes only the given parts', () => {
    expect(applyChanges(present, { week: 5, findings: [] })).to.deep.equal({ ...present, week: 5, findings: [] });
  });

  it('starts from an empty state in week 1 if there is no state', () => {
    expect(applyChanges(null, { focus: 'Costs' })).to.deep.equal({
      week: 1,
      focus: 'Costs',
      hypotheses: [],
      unknowns: [],
      findings: [],
    });
  });

  it('accepts a string as a hypothesis, an unknown or a finding of the current week', () => {
    const changes = { hypotheses: ['It is the paint'], unknowns: ['Which?'], findings: ['It was not'] };
    const { hypotheses, unknowns, findings } = applyChanges(present, changes);
    expect(hypotheses).to.deep.equal([{ statement: 'It is the paint', status: 'open', evidence: [] }]);
    expect(unknowns).to.deep.equal([{ question: 'Which?' }]);
    expect(findings).to.deep.equal([{ statement: 'It was not', week: 4 }]);
    expect(applyChanges(present, { ...changes, week: 5 }).findings).to.deep.equal([
      { statement: 'It was not', week: 5 },
    ]);
  });

  it('keeps parts that it does not change, even if they are not valid', () => {
    const written = {
      ...present,
      focus: ' ',
      findings: [{ statement: 'Without a week' }],
    } as unknown as typeof present;
    expect(applyChanges(written, { week: 5 })).to.deep.equal({ ...written, week: 5 });
  });

  for (const focus of ['', null]) {
    it(`removes the focus if it is ${JSON.stringify(focus)}`, () => {
      expect(applyChanges(present, { focus })).not.to.have.property('focus');
    });
  }

  it('lists all errors with their paths', () => {
    const changes = {
      week: 0,
      hypotheses: ['Sound', { statement: 'Unsound', status: 'maybe' }],
      findings: [{ statement: 'Without a week' }],
      weeks: 3,
    };
    expect(() => applyChanges(present, changes)).to.throw(
      /^The engagement state is not valid. Nothing was changed:\n {2}- week: .*\n {2}- hypotheses\.1\.status: .*\n {2}- findings\.0\.week: .*\n {2}- .*"weeks"$/,
    );
  });
});

describe('readChanges', () => {
  const directory = perSuite(() => temporaryDirectory());

  async function temporaryFile(content: string): Promise<string> {
    const file = join(directory.path, 'state.json');
    await writeFile(file, content);
    return file;
  }

  it('reads the parts from the options', async () => {
    const changes = await readChanges({ week: '3', focus: 'Costs', unknowns: '["Which?"]' });
    expect(changes).to.deep.equal({ week: 3, focus: 'Costs', unknowns: ['Which?'] });
  });

  it('reads the parts from the file, and prefers the options where both have a part', async () => {
    const file = await temporaryFile('\ufeff{ "week": 2, "focus": "Lead times", "hypotheses": ["It is the paint"] }');
    const changes = await readChanges({ file, week: '3', hypotheses: '[]', findings: '[]' });
    expect(changes).to.deep.equal({ week: 3, focus: 'Lead times', hypotheses: [], findings: [] });
  });

  it('names the file or the option if it is missing or has no JSON object', async () => {
    for (const [content, sentence] of [
      ['[]', 'The state must be a JSON object.'],
      ['{', 'is not valid JSON'],
    ] as const) {
      const file = await temporaryFile(content);
      expect((await refusal(readChanges({ file }))).message)
        .to.include(file)
        .and.include(sentence);
    }
    expect((await refusal(readChanges({ findings: '[' }))).message).to.match(/^--findings is not valid JSON: /);
    const missing = '/nowhere/state.json';
    expect((await refusal(readChanges({ file: missing }))).message).to.include(missing);
  });
});
