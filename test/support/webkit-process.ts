import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { eventually } from './eventually.ts';
import { findNonEphemeralPort } from './non-ephemeral-port.ts';
import { temporaryDirectory } from './served-process.ts';
import { openSession } from './webdriver.ts';

/** Process groups that are killed when the test process exits, even if it crashes. */
const groups = new Set<ChildProcess>();

process.once('exit', () => {
  for (const { pid } of groups) if (pid !== undefined) kill(pid);
});

/** Starts a display for WebKit. `open` opens a browser with a new profile. */
export async function startWebKit() {
  const screen = ['-screen', '0', '1400x1000x24'];
  const display = start('Xvfb', ['-displayfd', '1', ...screen, '-nolisten', 'tcp', '-noreset'], {});
  const [number] = await once(display.stdout, 'data');
  const DISPLAY = `:${String(number).trim()}`;
  const closers = new Set<() => Promise<void>>();

  async function openOnce(startSeconds: number) {
    const port = await findNonEphemeralPort();
    const home = await temporaryDirectory();
    const { path } = home;
    const busConfiguration = join(path, 'bus.xml');
    await writeFile(busConfiguration, busIn(path));
    const command = ['WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'];
    const driver = start('dbus-run-session', ['--config-file', busConfiguration, '--', ...command], {
      DISPLAY,
      HOME: path,
      XDG_RUNTIME_DIR: path,
      GTK_A11Y: 'none',
      NO_AT_BRIDGE: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    });
    const close = async () => {
      closers.delete(close);
      await stop(driver);
      await home.remove();
    };
    closers.add(close);
    const url = `http://127.0.0.1:${port}`;
    await eventually(() =>
      fetch(`${url}/status`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
    try {
      return { ...(await openSession(url, { proxy: loopbackOnly }, { startSeconds })), downloads: path, close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    /**
     * Each session has its own driver, which ends with it, because a driver can hang. WebKit saves files in `downloads`. The
     * browser sometimes crashes while it starts, and its driver then never answers, so the start is retried, with more time in
     * case the machine is slow.
     */
    async open() {
      for (const startSeconds of [4, 8, 15, 15]) {
        const session = await openOnce(startSeconds).catch(() => undefined);
        if (session) return session;
      }
      return openOnce(15);
    },

    async close(): Promise<void> {
      for (const close of closers) await close();
      await stop(display);
    },
  };
}

/** Configures a session bus that starts no desktop services, which would outlive the browser. */
const busIn = (directory: string) => `<busconfig>
  <type>session</type>
  <listen>unix:dir=${directory}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`;

/** No server listens on the port of the proxy, so requests to other hosts than the loopback addresses fail. */
const deadProxy = '127.0.0.1:9';
const loopbackOnly = {
  proxyType: 'manual',
  httpProxy: deadProxy,
  sslProxy: deadProxy,
  noProxy: ['localhost', '127.0.0.1'],
};

/** Starts a process as the leader of a group, so that its children end with it. */
function start(command: string, parameters: string[], environment: Record<string, string>) {
  const child = spawn(command, parameters, {
    detached: true,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  groups.add(child);
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  groups.delete(child);
  if (child.pid === undefined || child.exitCode !== null) return;
  const exited = once(child, 'exit');
  kill(child.pid);
  await exited;
}

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
