import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { root } from '../support/served-process.ts';
import { applied, type Mutation } from './mutation.ts';
import { chapters, mutations } from './mutations.ts';
import { page } from './page.ts';
import { described } from './result.ts';
import { failedTests, type Report, reportSchema, rowsOf, rowsOfTests } from './rows.ts';
import { syntaxErrors } from './syntax-errors.ts';

const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const ascending = (rows: readonly number[]) => [...new Set(rows)].toSorted((a, b) => a - b);

describe('The list of mutations', () => {
  it('changes what is there: each text occurs exactly once in its file, and what comes of it can be read', () => {
    for (const mutation of mutations) {
      const source = readText(mutation.file);
      const changed = applied(mutation, source);
      expect(changed, mutation.name).not.to.equal(source);
      expect(syntaxErrors(mutation.file, changed), mutation.name).to.deep.equal([]);
    }
  });

  it('names each mutation differently', () => {
    const names = mutations.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('expects rows that there are, in ascending order', () => {
    for (const { name, rows } of mutations) {
      expect(rows, name).not.to.deep.equal([]);
      expect(rows, name).to.deep.equal(ascending(rows));
      for (const row of rows) expect(row, name).to.be.within(1, 133);
    }
  });

  it('is the one of the page, which says of each that it is noticed by its rows', () => {
    const noticed = mutations.map((mutation) => ({ mutation, rows: mutation.rows, properties: [] }));
    expect(readText('docs/mutations.md')).to.equal(page(chapters, noticed));
  });

  it('breaks at least forty rows, and some of every chapter by a mutation of its own', () => {
    expect(ascending(mutations.flatMap(({ rows }) => rows))).to.have.length.at.least(40);
    for (const chapter of chapters) {
      const rows = chapter.mutations.flatMap((mutation) => mutation.rows);
      expect(
        rows.some((row) => row >= chapter.first && row <= chapter.last),
        chapter.title,
      ).to.equal(true);
    }
  });
});

describe('A mutation', () => {
  const mutation: Mutation = { name: 'A fault', file: 'a.ts', find: 'one', replace: 'two', rows: [1, 2] };

  it('is applied where its text occurs once', () => {
    expect(applied(mutation, 'const a = one;')).to.equal('const a = two;');
  });

  it('is refused by its name where its text is missing or occurs more often', () => {
    expect(() => applied(mutation, 'const a = 1;')).to.throw('"A fault": its text occurs 0 times in a.ts');
    expect(() => applied(mutation, 'one, one')).to.throw('"A fault": its text occurs 2 times in a.ts');
  });

  it('is reported with the rows that pass wrongly and those that were not expected', () => {
    const report = (rows: number[]) => described({ mutation, rows, properties: [] });
    expect(report([1, 2])).to.equal('exactly          A fault: 1 2');
    expect(report([2, 7])).to.equal('too few, too manyA fault: 2 7; passes wrongly: 1; not expected: 7');
    expect(report([])).to.equal('too few          A fault: no row fails; passes wrongly: 1 2');
  });
});

describe('The rows that fail', () => {
  const test = (title: string, file = 'a.test.ts') => ({ title, fullTitle: `a ${title}`, file });
  const whole: Report = {
    passes: [
      test('1 first'),
      test('2 second'),
      test('3 4 both'),
      test('40 characters', 'b-property.test.ts'),
      test('no row'),
    ],
    failures: [],
  };
  const rowsWithout = (...titles: string[]) =>
    rowsOfTests(
      failedTests(whole, { passes: whole.passes.filter(({ title }) => !titles.includes(title)), failures: [] }),
    );

  it('are the numbers at the start of a title', () => {
    expect(rowsOf(test('113 115 a provider of 2 minds'))).to.deep.equal([113, 115]);
    expect(rowsOf(test('2xx is no row'))).to.deep.equal([]);
  });

  it('are those of tests that did not pass, whether they failed or a hook kept them from running', () => {
    expect(rowsWithout()).to.deep.equal([]);
    expect(rowsWithout('2 second', '3 4 both', 'no row')).to.deep.equal([2, 3, 4]);
  });

  it('are also that of a test whose hook failed after it', () => {
    const failures = [test('"after each" hook in "a" for "1 first"'), test('"after all" hook in "a" for "2 second"')];
    expect(rowsOfTests(failedTests(whole, { passes: whole.passes, failures }))).to.deep.equal([1]);
  });

  it('are read also where a hook of all files failed, which names none', () => {
    const hook = { title: '"after all" hook in "{root}"', fullTitle: '"after all" hook in "{root}"' };
    const report = reportSchema.parse(JSON.parse(JSON.stringify({ passes: whole.passes, failures: [hook] })));
    expect(rowsOfTests(failedTests(whole, report))).to.deep.equal([]);
  });

  it('are none of a property', () => {
    expect(rowsWithout('40 characters')).to.deep.equal([]);
  });
});
