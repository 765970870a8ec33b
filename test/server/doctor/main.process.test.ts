import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runProgram, runWithClosedOutput } from '../run-program.ts';

const doctor = (environment: Record<string, string>) => runProgram('doctor/main.ts', [], environment);

describe('npm run doctor', () => {
  it('exits without an error if its output is closed, as in a pipe to head', async () => {
    expect(await runWithClosedOutput('doctor/main.ts', [], {})).to.equal('');
  });

  it('skips what is not configured, and fails if neither database nor PUBLIC_URL is configured', async () => {
    const { code, output, errorOutput } = await doctor({});
    expect(errorOutput).to.equal('');
    expect(code).to.equal(1);
    expect(output.split('\n')).to.deep.equal([
      'ok       Configuration Complete for development.',
      'skipped  Database      DATABASE_URL is not set, so the embedded database is used.',
      'skipped  Redis         REDIS_URL is not set, so each process counts its limits separately.',
      'skipped  Model         ANTHROPIC_API_KEY is not set, so the offline stand-in replies.',
      'skipped  Sign-in       No provider is configured, so all are emulated.',
      'skipped  Budgets       None is set for users. One user can have 60 questions a minute answered at your cost, and store 91 GB a day. Set TOKENS_PER_DAY_USER or TOKENS_PER_DAY_ORGANIZATION.',
      'skipped  Budgets       None is set for demo chat, which anyone can use at your cost. Set TOKENS_PER_DAY_DEMO.',
      'skipped  Proxy         Neither HTTPS_PROXY nor HTTP_PROXY is set, so all connections are direct.',
      'skipped  PUBLIC_URL    PUBLIC_URL is not set.',
      'FAILED   Configuration Neither DATABASE_URL nor PUBLIC_URL is set. Run this with the environment variables of the service.',
      '',
    ]);
  });

  it('refuses a number of instances that is not positive', async () => {
    const { code, output, errorOutput } = await runProgram('doctor/main.ts', ['--instances', '0'], {});
    expect(errorOutput).to.equal('');
    expect(code).to.equal(1);
    expect(output).to.include('FAILED   Configuration --instances must be a positive whole number.\n');
  });

  it('prints a line for each configuration error and exits with 1', async () => {
    const { code, output } = await doctor({ PORT: 'eighty', SESSION_SECRET: 'hunter2', LOG_LEVEL: 'loud' });
    expect(code).to.equal(1);
    const lines = output.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 22).trimEnd())).to.deep.equal([
      'FAILED   Configuration',
      'FAILED   Configuration',
      'FAILED   Configuration',
      'skipped  Configuration',
    ]);
    expect(output).to.include('PORT must be').and.include('SESSION_SECRET must have').and.not.include('hunter2');
  });

  it('reports every unreachable dependency without secrets and exits with 1', async () => {
    const { code, output } = await doctor({
      DATABASE_URL: 'postgresql://operator:hunter2@127.0.0.1:9/advice',
      REDIS_URL: 'redis://operator:hunter2@127.0.0.1:9',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      ANTHROPIC_API_KEY: 'sk-hunter2',
      PUBLIC_URL: 'https://127.0.0.1:9',
    });
    expect(code).to.equal(1);
    expect(output).not.to.include('hunter2');
    expect(output.match(/^\w+ +[\w-]+/gm)).to.deep.equal([
      'ok       Configuration',
      'FAILED   Database',
      'FAILED   Redis',
      'FAILED   Model',
      'skipped  Sign-in',
      'skipped  Budgets',
      'skipped  Budgets',
      'skipped  Proxy',
      'FAILED   TLS',
      'FAILED   PUBLIC_URL',
    ]);
  });
});
