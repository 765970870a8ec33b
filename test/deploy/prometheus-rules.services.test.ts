import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { root } from '../support/served-process.ts';

function promtool(...parameters: string[]) {
  const { status, stdout, stderr, error } = spawnSync('promtool', parameters, { cwd: root, encoding: 'utf8' });
  if (error) throw error;
  return { status, output: `${stdout}${stderr}` };
}

describe('docs/deploy/prometheus-rules.yml', () => {
  it('has valid rules', () => {
    const { status, output } = promtool('check', 'rules', 'docs/deploy/prometheus-rules.yml');
    expect(status, output).to.equal(0);
    expect(output).to.include('SUCCESS');
  });

  it('fires each alert on its condition, and no alert without a fault', () => {
    const files = ['cases', 'long-cases'].map((cases) => `test/deploy/prometheus-rules-${cases}.yml`);
    const { status, output } = promtool('test', 'rules', ...files);
    expect(status, output).to.equal(0);
  });
});

describe('docs/deploy/prometheus.yml', () => {
  it('is valid together with its rules', () => {
    const { status, output } = promtool('check', 'config', 'docs/deploy/prometheus.yml');
    expect(status, output).to.equal(0);
    expect(output).to.match(/prometheus-rules\.yml\s+SUCCESS|SUCCESS: \d+ rules found/);
  });
});
