import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';
import type { Hole } from './hole.ts';
import { holeChapters, holes } from './holes.ts';
import { holesPage } from './holes-page.ts';
import { applied } from './mutation.ts';
import type { Report } from './rows.ts';
import { syntaxErrors } from './syntax-errors.ts';
import { holdsLastPart } from './test-title.ts';
import { describedVerdict, verdictOf } from './verdict.ts';

describe('The list of planted holes', () => {
  it('changes what is there: each text occurs exactly once in its file, and what comes of it can be read', () => {
    for (const hole of holes) {
      const source = readText(hole.file);
      const changed = applied(hole, source);
      expect(changed, hole.name).not.to.equal(source);
      expect(syntaxErrors(hole.file, changed), hole.name).to.deep.equal([]);
    }
  });

  it('names each hole differently', () => {
    const names = holes.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('names a test that there is, for each', () => {
    for (const { name, test } of holes) {
      expect(existsSync(join(root, test.file)), `${name}: ${test.file}`).to.equal(true);
      expect(holdsLastPart(readText(test.file), test.title), `${name}: ${test.title}`).to.equal(true);
    }
  });

  it('is the one of the page, which says of each that it is noticed', () => {
    const noticed = holes.map((hole) => ({ hole, noticed: true }) as const);
    expect(readText('docs/holes.md')).to.equal(holesPage(holeChapters, noticed));
  });
});

describe('A planted hole', () => {
  const title = 'the door stays shut';
  const hole: Hole = {
    name: 'The door is open',
    file: 'a.ts',
    find: 'shut',
    replace: 'open',
    test: { file: 'a.test.ts', title },
  };
  const test = (fullTitle: string, name = 'stays shut') => ({ title: name, fullTitle, file: 'a.test.ts' });
  const verdict = (report: Partial<Report>) =>
    describedVerdict(verdictOf(hole, { passes: [], failures: [], ...report }));

  it('is noticed where its test fails, or the hook after it', () => {
    expect(verdict({ failures: [test(title)] })).to.equal('noticed      The door is open');
    const hook = test(`the door "after each" hook for "stays shut"`, '"after each" hook for "stays shut"');
    expect(verdict({ passes: [test(title)], failures: [hook] })).to.equal('noticed      The door is open');
  });

  it('is not noticed where its test passes', () => {
    expect(verdict({ passes: [test(title)] })).to.equal('NOT NOTICED  The door is open: the door stays shut');
  });

  it('has no result where its test was not reached', () => {
    const hook = test('the door "before all" hook', '"before all" hook');
    expect(verdict({ failures: [hook] })).to.equal(
      'no result    The door is open: it did not come to the test: "before all" hook',
    );
    expect(verdict({})).to.equal('no result    The door is open: there is no such test');
  });
});

describe('The last part of a title', () => {
  const template = `it(\`stays \${state} at \${hour}\`, () => {})`;

  it('is in a file that has a test of this name, also with something filled in', () => {
    expect(holdsLastPart("it('stays shut', () => {})", 'the door stays shut')).to.equal(true);
    expect(holdsLastPart("it('isn\\'t open', () => {})", "the door isn't open")).to.equal(true);
    expect(holdsLastPart(template, 'the door stays shut at 7')).to.equal(true);
  });

  it('is in a file that has it in a table', () => {
    expect(holdsLastPart("for (const [name] of [['stays shut']]) it(name)", 'the door stays shut')).to.equal(true);
  });

  it('is in no other file', () => {
    expect(holdsLastPart("it('stays open', () => {})", 'the door stays shut')).to.equal(false);
    expect(holdsLastPart(template, 'the door opens at 7')).to.equal(false);
    expect(holdsLastPart('// the door stays shut', 'the door stays shut')).to.equal(false);
  });
});
