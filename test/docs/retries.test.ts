import { expect } from 'chai';
import { describe, it } from 'mocha';
import { codeByStatus, nextDelaySeconds } from '../../shared/retry.ts';
import { retryTable } from '../shared/retry-table.ts';
import { code, readDocument, readText } from '../support/document.ts';
import { filePath, renderFile } from './retry-table/retry-table-file.ts';

const page = readDocument('docs/interface/retries.md');

describe('docs/interface/retries.md', () => {
  it('prints the retry table', () => {
    expect(page.tableUnder('## The table')).to.deep.equal(retryTable);
  });

  it('says what a status stands for whose body has no known code', () => {
    const said = [...page.text.matchAll(/(\d{3}) (?:counts )?as `(\w+)`/g)].map(([, status, name]) => [
      Number(status),
      name,
    ]);
    expect(said).to.deep.equal([...codeByStatus]);
  });

  it('gives the waits of turns that fail', () => {
    const rows = page.tableUnder('## How to read it');
    expect(rows).to.have.length.above(3);
    for (const [met = '', waits = '', then = ''] of rows) {
      const failures = [...met.matchAll(/`(\w+)`(?: (\d+))?/g)].map(([, name = '', seconds]) => ({
        code: name,
        ...(seconds !== undefined && { retryAfterSeconds: Number(seconds) }),
      }));
      const computed = failures.map((_, last) => nextDelaySeconds(failures.slice(0, last + 1)));
      const isSentAgain = then === 'sent again';
      expect(computed.slice(0, isSentAgain ? undefined : -1).join(', '), met).to.equal(waits);
      expect(computed.at(-1) !== null, met).to.equal(isSentAgain);
    }
  });

  it('names each field of the table as data', () => {
    const names = page.tableUnder('## The data').map(([name]) => name);
    const { description, ...fields } = JSON.parse(readText(filePath));
    expect(description).to.include('npm run retry-table');
    expect(names).to.deep.equal(Object.keys(fields).map(code));
  });
});

describe(filePath, () => {
  it('is what npm run retry-table writes', () => {
    expect(JSON.parse(readText(filePath))).to.deep.equal(JSON.parse(renderFile()));
  });
});
