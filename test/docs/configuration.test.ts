import { expect } from 'chai';
import { describe, it } from 'mocha';
import { environmentSchema, variablesOf } from '../../server/config/environment.ts';
import { routes } from '../../shared/interface.ts';
import { providerLabels, providerNames } from '../../shared/session.ts';
import { code, readDocument, readText } from '../support/document.ts';

const configuration = readDocument('docs/configuration.md');

describe('docs/configuration.md', () => {
  it('lists every variable, with its default', () => {
    const defaults: Record<string, unknown> = environmentSchema.parse({});
    const rows = configuration.tableUnder('## Variables').map(([variables = '', , without]) => ({
      names: [...variables.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      without,
    }));
    expect(rows.flatMap(({ names }) => names)).to.deep.equal(Object.keys(environmentSchema.shape));
    for (const { names, without } of rows) {
      const [value] = names.map((name) => defaults[name]);
      if (value !== undefined) expect(without, names[0]).to.equal(code(String(value)));
    }
  });

  it('says for each provider which callback address to register and which variables to set', () => {
    const rows = configuration.tableUnder('## Sign-in').map(([label, , callback, variables = '']) => ({
      label,
      callback,
      variables: [...variables.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    }));
    expect(rows).to.deep.equal(
      providerNames.map((name) => ({
        label: providerLabels[name],
        callback: code(`{PUBLIC_URL}${routes.signIn}/${name}/callback`),
        variables: [variablesOf(name).clientId, variablesOf(name).clientSecret],
      })),
    );
  });

  it('has every variable in .env.example, to be filled in or to be switched on', () => {
    const named = [...readText('.env.example').matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(Object.keys(environmentSchema.shape).filter((name) => !named.includes(name))).to.deep.equal([]);
  });
});
