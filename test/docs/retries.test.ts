import { expect } from 'chai';
import { describe, it } from 'mocha';
import { retryRules } from '../../shared/retry.ts';
import { readText } from '../support/document.ts';
import { filePath, renderFile } from './retry-table/retry-table-file.ts';

describe('The retry table in other files', () => {
  it(`is in ${filePath} as npm run retry-table writes it`, () => {
    expect(JSON.parse(readText(filePath))).to.deep.equal(JSON.parse(renderFile()));
  });

  it('is in docs/examples/terminal-client.py with each code that is tried again', () => {
    const [, rules = ''] = /^RULES = \{([^}]*)\}/m.exec(readText('docs/examples/terminal-client.py')) ?? [];
    const known = [...rules.matchAll(/"([A-Z_]+)": \((\d+),/g)].map(([, name, attempts]) => [name, Number(attempts)]);
    const retried = Object.entries(retryRules).filter(([, { attempts }]) => attempts > 1);
    expect(known).to.deep.equal(retried.map(([name, { attempts }]) => [name, attempts]));
  });
});
