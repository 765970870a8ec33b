import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { compileCacheDirectory } from '../support/compile-cache.ts';
import { eventually } from '../support/eventually.ts';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider, defaultReply } from '../support/scripted-provider.ts';
import { baselineCompilerOption, nodeOptions, root } from '../support/served-process.ts';
import { post, question } from '../support/test-app.ts';

describe('a log on a full disk', () => {
  let child: ChildProcess;

  const data = perSuite(() => createMigratedDataDirectory());
  const provider = perSuite(() => createScriptedProvider());
  afterEach(() => child.kill('SIGKILL'));

  it('drops and counts log lines, while the process answers requests and stops on SIGTERM', async () => {
    const [port, metricsPort] = [await findNonEphemeralPort(), await findNonEphemeralPort()];
    // Every write to this file fails with ENOSPC.
    const full = openSync('/dev/full', 'w');
    child = spawn(process.execPath, [baselineCompilerOption, ...nodeOptions, 'server/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compileCacheDirectory,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DATA_DIR: data.path,
        ANTHROPIC_BASE_URL: provider.url,
      },
      stdio: ['ignore', full, 'ignore'],
    });
    closeSync(full);
    const url = `http://localhost:${port}`;
    await eventually(() => fetch(`${url}/healthz`).catch(() => undefined));
    const reply = await post(`${url}/api/chat/demo`, question());
    expect([reply.status, await reply.text()]).to.deep.equal([200, defaultReply.text]);
    await eventually(async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return metrics.match(/^advisory_chat_log_lines_dropped_total [1-9]/m) ?? undefined;
    });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });
});
