import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { atEndOfRun } from './end-of-run.ts';
import { eventually } from './eventually.ts';
import { findNonEphemeralPort } from './non-ephemeral-port.ts';
import { temporaryDirectory } from './served-process.ts';
import { openSession } from './webdriver.ts';

/** Process groups that are killed when the test process exits, even if it crashes. */
const groups = new Set<ChildProcess>();

process.once('exit', () => {
  for (const { pid } of groups) if (pid !== undefined) kill(pid);
});

let shared: ReturnType<typeof startWebKit> | undefined;

/**
 * Opens a window of the browser that all tests share, without cookies. The test's product has an origin of its own, and so no data of
 * other tests. WebKit saves files in `downloads`.
 */
export async function openWebKit() {
  shared ??= startWebKit();
  const session = await shared;
  const first = await session.currentTab();
  await session.open('window');
  return { ...session, close: () => session.deleteCookies().then(() => session.closeAllExcept(first)) };
}

/** The browser sometimes crashes while it starts, and its driver then never answers, so a slow start is retried with more time. */
async function startWebKit() {
  const screen = ['-screen', '0', '1400x1000x24'];
  const display = start('Xvfb', ['-displayfd', '1', ...screen, '-nolisten', 'tcp', '-noreset'], {});
  atEndOfRun(() => stop(display));
  const [number] = await once(display.stdout, 'data');
  const DISPLAY = `:${String(number).trim()}`;
  for (const startSeconds of [4, 8, 15, 15]) {
    const session = await openOnce(DISPLAY, startSeconds).catch(() => undefined);
    if (session) return session;
  }
  return openOnce(DISPLAY, 15);
}

async function openOnce(DISPLAY: string, startSeconds: number) {
  const port = await findNonEphemeralPort();
  const { path, remove } = await temporaryDirectory();
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
    // Skips the scan of the media plugins, which takes as long as the rest of the start.
    GST_PLUGIN_SYSTEM_PATH_1_0: '',
  });
  const close = () => stop(driver).then(remove);
  const url = `http://127.0.0.1:${port}`;
  await eventually(() =>
    fetch(`${url}/status`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    ),
  );
  try {
    const session = await openSession(url, { proxy: loopbackOnly }, startSeconds);
    atEndOfRun(close);
    return { ...session, downloads: path };
  } catch (error) {
    await close();
    throw error;
  }
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
