import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofEachTest } from '../support/of-suite.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';

const express = { name: 'express', version: '5.3.0' };

describe('.ci/check-signatures.ts', () => {
  const directory = ofEachTest(() => temporaryDirectory());

  /** Runs the check with an npm that answers `answer`. */
  function checked(answer: string) {
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

  const wrong = "The registry's signature of express@5.3.0 is wrong.\n";
  const absent = 'The registry signs, and has no signature of express@5.3.0.\n';
  const unreachable = { error: { code: 'ENOTFOUND', summary: 'request to https://keys.invalid failed' } };
  const other = { error: { code: 'ESOMETHING', summary: 'Something else' } };
  for (const [what, answer, expected] of [
    ['fails where a signature is wrong', { invalid: [express], missing: [] }, { status: 1, stderr: wrong }],
    ['fails where a signature is missing', { invalid: [], missing: [express] }, { status: 1, stderr: absent }],
    ['succeeds where every signature is right', { invalid: [], missing: [] }, { status: 0, stderr: '' }],
    ['succeeds where the registry cannot be asked', unreachable, { status: 0, stderr: '' }],
    ['fails where npm fails in another way', other, { status: 1 }],
    ['fails where npm answers nothing of use', {}, { status: 1 }],
  ] as const) {
    it(what, () => {
      const found = checked(JSON.stringify(answer));
      expect(found).to.include(expected);
      expect(found.stdout.includes('NOT CHECKED: ')).to.equal(answer === unreachable);
    });
  }
});
