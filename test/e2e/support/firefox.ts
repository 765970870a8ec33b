import { createRequire } from 'node:module';
import process from 'node:process';
import { type Browser, type BrowserContext, firefox } from 'playwright-core';

/** A port on which no server listens. Requests to loopback addresses bypass the proxy, so all others fail. */
const deadPort = 9;

const preferences = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': deadPort,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': deadPort,
  // Headless Firefox has no pointer. These are the values of a mouse.
  'ui.primaryPointerCapabilities': 6,
  'ui.allPointerCapabilities': 6,
  'ui.useOverlayScrollbars': 1,
};

/** Launches the installed Firefox, which Playwright drives by WebDriver BiDi. */
export function launchFirefox(): Promise<Browser> {
  omitMediaFeatures();
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr',
    firefoxUserPrefs: preferences,
    // Firefox does not start as root in the home directory of another user.
    env: { ...process.env, ...(process.getuid?.() === 0 && { HOME: '/root' }) },
  });
}

let isOmitting = false;

/**
 * Playwright sets media features in each context by a command that Firefox does not know, and fails. It is sent as a command
 * without an effect.
 */
function omitMediaFeatures(): void {
  if (isOmitting) return;
  isOmitting = true;
  const { ws } = createRequire(import.meta.url)('playwright-core/lib/utilsBundle');
  const { send } = ws.prototype;
  ws.prototype.send = function (this: unknown, text: string, ...rest: unknown[]) {
    const message = JSON.parse(text);
    const isUnknown = message.method === 'emulation.setMediaFeaturesOverride';
    const sent = isUnknown ? JSON.stringify({ id: message.id, method: 'session.status', params: {} }) : text;
    return Reflect.apply(send, this, [sent, ...rest]);
  };
}

/**
 * Playwright inserts text by assigning the value of a field, of which React notices nothing and which `undo` does not revert.
 * This inserts it like a keyboard.
 */
export function insertTextLikeKeyboard(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(() => {
    Object.defineProperty(window, '__pw_bidiInsertText', {
      get: () => (text: string) => void document.execCommand('insertText', false, text),
      set: () => undefined,
    });
  });
}
