import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { namesIn } from '../../support/source-names.ts';

describe('each field of the configuration', () => {
  it('is used outside of the code that loads it', () => {
    const names = namesIn('server/**/*.ts', ['server/config/']);
    expect(fieldsOf(loadConfig({})).filter((field) => !names.has(field))).to.deep.equal([]);
  });
});

function fieldsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => [name, ...fieldsOf(field)]);
}
