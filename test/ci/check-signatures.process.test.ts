import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perTest } from '../support/per-suite.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

const express = { name: 'express', version: '5.3.0' };

describe('.ci/check-signatures.ts', () => {
  const directory = perTest(() => temporaryDirectory());

  function runCheck(answer: string) {
    const npm = join(directory.path, 'npm');
    writeFileSync(npm, `#!/bin/sh\ncat <<'ANSWER'\n${answer}\nANSWER\nexit 1\n`);
    chmodSync(npm, 0o755);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['.ci/check-signatures.ts'], {
      cwd: root,
      env: { PATH: [directory.path, process.env.PATH].join(delimiter) },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  const wrong = 'Invalid registry signature: express@5.3.0\n';
  const absent = 'Missing registry signature: express@5.3.0\n';
  const unreachable = { error: { code: 'ENOTFOUND', summary: 'request to https://keys.invalid failed' } };
  const other = { error: { code: 'ESOMETHING', summary: 'Something else' } };
  for (const [title, answer, expected] of [
    ['fails if a signature is invalid', { invalid: [express], missing: [] }, { status: 1, stderr: wrong }],
    ['fails if a signature is missing', { invalid: [], missing: [express] }, { status: 1, stderr: absent }],
    ['succeeds if all signatures are valid', { invalid: [], missing: [] }, { status: 0, stderr: '' }],
    [
      'succeeds, and prints that nothing was verified, if the registry is unreachable',
      unreachable,
      { status: 0, stderr: '' },
    ],
    ['fails on any other npm error', other, { status: 1 }],
    ['fails if the output of npm has no result', {}, { status: 1 }],
  ] as const) {
    it(title, () => {
      const result = runCheck(JSON.stringify(answer));
      expect(result).to.include(expected);
      expect(result.stdout.includes('NOT VERIFIED: ')).to.equal(answer === unreachable);
    });
  }
});
