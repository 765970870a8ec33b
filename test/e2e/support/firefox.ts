import { createRequire } from 'node:module';
import process from 'node:process';
import { type Browser, type BrowserContext, firefox } from 'playwright-core';

/** A port on which no server listens. Requests to loopback addresses bypass the proxy; all others fail. */
const deadPort = 9;

const preferences = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': deadPort,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': deadPort,
  // Headless Firefox has no pointer. 6 is the value of a mouse.
  'ui.primaryPointerCapabilities': 6,
  'ui.allPointerCapabilities': 6,
  'ui.useOverlayScrollbars': 1,
  // Playwright does not notice that a page comes back from this cache, and disables it in Chromium.
  'browser.sessionhistory.max_total_viewers': 0,
  // A page stays in the process of its empty tab.
  'fission.webContentIsolationStrategy': 0,
};

export function launchFirefox(): Promise<Browser> {
  adaptMessages();
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr',
    firefoxUserPrefs: preferences,
    // Firefox does not start as root in the home directory of another user.
    env: { ...process.env, ...(process.getuid?.() === 0 && { HOME: '/root' }) },
  });
}

/** Changes three kinds of message that Playwright sends to Firefox. */
function adaptMessages(): void {
  const { ws } = createRequire(import.meta.url)('playwright-core/lib/utilsBundle');
  const { send } = ws.prototype;
  ws.prototype.send = function (this: unknown, text: string, ...rest: unknown[]) {
    const { id, method, params } = JSON.parse(scrollOnlyIfNeeded(text));
    const message = { id, ...adaptCommand(method, params) };
    return Reflect.apply(send, this, [JSON.stringify(message), ...rest]);
  };
}

const profilesWithPages = new Set<unknown>();

function adaptCommand(method: string, params: { userContext?: string }) {
  // Firefox does not know this command, and fails. A command without an effect replaces it.
  if (method === 'emulation.setMediaFeaturesOverride') return { method: 'session.status', params: {} };
  if (method !== 'browsingContext.create' || profilesWithPages.has(params.userContext)) return { method, params };
  profilesWithPages.add(params.userContext);
  // A tab takes much less time than a window. Further pages of a profile need windows, because a tab hides the others of its window.
  return { method, params: { ...params, type: 'tab' } };
}

/** The start of the call with which Playwright scrolls an element into view, in a message. */
const scroll = String.raw`node.scrollIntoView({\n`;

/**
 * Before each action Playwright scrolls the element to the center of the window, even if it is in view, so that a click on a button
 * of the sticky header moves the page. In Chromium it scrolls only if the element is not in view.
 */
function scrollOnlyIfNeeded(text: string): string {
  const condition = JSON.stringify(`if (!(${isInView})(node)) `).slice(1, -1);
  return text.replace(scroll, () => `${condition}${scroll}`);
}

/** The source of this function runs in the page. */
function isInView(node: Element): boolean {
  const { top, bottom, left, right } = node.getBoundingClientRect();
  const root = document.documentElement;
  let isIn = top >= 0 && left >= 0 && bottom <= root.clientHeight && right <= root.clientWidth;
  for (
    let ancestor = node.parentElement;
    isIn && ancestor !== null && ancestor !== root;
    ancestor = ancestor.parentElement
  ) {
    if (getComputedStyle(ancestor).overflow === 'visible') continue;
    const box = ancestor.getBoundingClientRect();
    isIn = top >= box.top && bottom <= box.bottom && left >= box.left && right <= box.right;
  }
  return isIn;
}

/** Playwright assigns the value of the field, which React does not notice and `undo` does not revert. */
export function insertTextLikeKeyboard(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(() => {
    Object.defineProperty(window, '__pw_bidiInsertText', {
      get: () => (text: string) => void document.execCommand('insertText', false, text),
      set: () => undefined,
    });
  });
}
