import { setTimeout as delay } from 'node:timers/promises';

/** Names an element by a CSS selector and its accessible name: a label, `aria-label` or its text. */
type Target = { selector: string; name?: string | RegExp };

export const button = (name: string | RegExp): Target => ({ selector: 'button, [role=button]', name });
export const link = (name: string | RegExp): Target => ({ selector: 'a[href]', name });
export const menuItem = (name: string | RegExp): Target => ({ selector: '[role=menuitem]', name });
export const field = (name: string | RegExp): Target => ({ selector: 'input, textarea, select', name });

export const keys = {
  backspace: '\uE003',
  control: '\uE009',
  enter: '\uE007',
  escape: '\uE00C',
  pageUp: '\uE00E',
  home: '\uE011',
};

/** The longest time that a command may take. Drivers hang, for example, if a page moves to another origin meanwhile. */
const commandSeconds = 30;

const waitSeconds = 40;

/** The key of a reference to an element in WebDriver's JSON. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';
type ElementReference = { [elementKey]: string };

export type WebDriverSession = Awaited<ReturnType<typeof openSession>>;

/** Opens a browser through the W3C WebDriver at `driverUrl`. `waitFor`, `click`, `type` and `evaluateInFrame` wait for their element. */
export async function openSession(driverUrl: string, capabilities: object, startSeconds: number) {
  const body = { capabilities: { alwaysMatch: capabilities } };
  const { sessionId } = await command('POST', '/session', body, startSeconds);
  const inSession = (method: string, path: string, body?: object) =>
    command(method, `/session/${sessionId}${path}`, body);

  async function command(method: string, path: string, body?: object, seconds = commandSeconds) {
    const init = { method, ...(body && { body: JSON.stringify(body) }) };
    const signal = AbortSignal.timeout(seconds * 1000);
    const response = await fetch(`${driverUrl}${path}`, { ...init, signal }).catch((cause) => {
      const what = signal.aborted ? `did not answer within ${seconds} seconds` : 'cannot be reached';
      throw new Error(`The WebDriver ${what}: ${method} ${path} ${init.body ?? ''}`, { cause });
    });
    const { value } = await response.json();
    if (!response.ok) throw new WebDriverError(`${value.error}: ${value.message} (${method} ${path})`, value.error);
    return value;
  }

  /** Runs a function in the page. Of the test it sees only its parameters, which are copied as JSON. A promise is awaited. */
  async function evaluate<Parameters extends unknown[], Result>(
    run: (...parameters: Parameters) => Result,
    ...parameters: Parameters
  ): Promise<Awaited<Result>> {
    return inSession('POST', '/execute/sync', { script: `return (${run}).apply(null, arguments)`, args: parameters });
  }

  /** Polls `probe` until it returns a truthy value. The error contains what the page shows instead. */
  async function eventually<T>(
    wanted: string,
    probe: () => Promise<T>,
  ): Promise<NonNullable<Exclude<T, false | 0 | ''>>> {
    const deadline = performance.now() + waitSeconds * 1000;
    for (;;) {
      const value = await probe();
      if (value) return value as NonNullable<Exclude<T, false | 0 | ''>>;
      if (performance.now() > deadline) {
        const text = await evaluate(() => `${location.href}\n${document.body.innerText}`);
        throw new Error(`After ${waitSeconds} seconds there is no ${wanted} on ${text}`);
      }
      await delay(20);
    }
  }

  const until = <Parameters extends unknown[], Result>(
    run: (...parameters: Parameters) => Result,
    ...parameters: Parameters
  ) =>
    eventually(`${JSON.stringify(parameters)} by ${run}`, () => evaluate(run, ...parameters).catch(ignoreNavigation));

  const findAll = ({ selector, name }: Target): Promise<ElementReference[]> => {
    const pattern =
      typeof name === 'string' ? { exact: name } : { source: name?.source ?? '', flags: name?.flags ?? '' };
    return evaluate(findInPage, selector, pattern) as unknown as Promise<ElementReference[]>;
  };

  const nameOf = ({ selector, name }: Target) => `${selector} ${name ?? ''}`;

  const find = (target: Target) =>
    eventually(nameOf(target), async () => (await findAll(target).catch(ignoreNavigation))?.[0]);

  /** Runs a command on an element, and finds the element again if it is replaced meanwhile or covered. */
  const onElement = (target: Target, path: string, body: object) =>
    eventually(`access to ${nameOf(target)}`, async () => {
      const element = await find(target);
      try {
        await inSession('POST', `/element/${element[elementKey]}/${path}`, body);
        return true;
      } catch (error) {
        if (!(error instanceof WebDriverError && error.isTransient)) throw error;
        await evaluate(scrollToCenter, element).catch(ignoreNavigation);
        return undefined;
      }
    });

  return {
    evaluate,
    until,

    goto: (url: string) => inSession('POST', '/url', { url }),
    url: (): Promise<string> => inSession('GET', '/url'),
    reload: () => inSession('POST', '/refresh', {}),
    back: () => inSession('POST', '/back', {}),
    forward: () => inSession('POST', '/forward', {}),

    resize: (size: { width: number; height: number }) => inSession('POST', '/window/rect', size),

    async waitFor(target: Target): Promise<void> {
      await find(target);
    },

    click: (target: Target) => onElement(target, 'click', {}),

    /** Types into an element, which gets the focus. A file field takes paths. */
    type: (target: Target, text: string) => onElement(target, 'value', { text }),

    /** Chooses a file in the first file field, which can be hidden behind a button. */
    async upload(path: string): Promise<void> {
      const element: ElementReference = await inSession('POST', '/element', {
        using: 'css selector',
        value: '[type=file]',
      });
      await inSession('POST', `/element/${element[elementKey]}/value`, { text: path });
    },

    async evaluateInFrame<Result>(target: Target, run: () => Result): Promise<Awaited<Result>> {
      await inSession('POST', '/frame', { id: await find(target) });
      try {
        return await evaluate(run);
      } finally {
        await inSession('POST', '/frame', { id: null });
      }
    },

    /** Presses keys one after the other on the focused element, and then releases them all. */
    async press(...values: string[]): Promise<void> {
      const down = values.map((value) => ({ type: 'keyDown', value }));
      const up = values.toReversed().map((value) => ({ type: 'keyUp', value }));
      await inSession('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions: [...down, ...up] }] });
    },

    async clickAt({ x, y }: { x: number; y: number }): Promise<void> {
      const actions = [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      const pointer = { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions };
      await inSession('POST', '/actions', { actions: [pointer] });
    },

    /** Opens a tab or a window and switches to it. Returns its handle, with which `switchTo` returns to it. */
    async open(type: 'tab' | 'window'): Promise<string> {
      const { handle } = await inSession('POST', '/window/new', { type });
      await inSession('POST', '/window', { handle });
      return handle;
    },
    /** Closes all other tabs and windows, and switches to this one. */
    async closeAllExcept(kept: string): Promise<void> {
      const handles: string[] = await inSession('GET', '/window/handles');
      for (const handle of handles.filter((handle) => handle !== kept)) {
        await inSession('POST', '/window', { handle });
        await inSession('DELETE', '/window');
      }
      await inSession('POST', '/window', { handle: kept });
    },
    /** Adds a cookie of the host of the page, in the form of a `Cookie` header. */
    addCookie(cookie: string): Promise<void> {
      const [, name, value] = /^([^=]+)=(.*)$/.exec(cookie) ?? [];
      return inSession('POST', '/cookie', { cookie: { name, value, path: '/' } });
    },
    /** Deletes all cookies of the host of the page. */
    deleteCookies: () => inSession('DELETE', '/cookie'),
    currentTab: (): Promise<string> => inSession('GET', '/window'),
    switchTo: (handle: string) => inSession('POST', '/window', { handle }),
  };
}

/** Runs in the page. A driver scrolls an element just into view, where a sticky header can cover it. */
function scrollToCenter(element: unknown): void {
  if (element instanceof Element) element.scrollIntoView({ block: 'center', behavior: 'instant' });
}

class WebDriverError extends Error {
  readonly isTransient: boolean;
  readonly isNavigation: boolean;

  constructor(message: string, code: string) {
    super(message);
    this.isTransient = /stale element|no such element|not interactable|click intercepted/.test(code);
    // A page that is being replaced has no execution context.
    this.isNavigation = /stale element|no such window|no such frame|javascript error|unknown error/.test(code);
  }
}

async function ignoreNavigation(error: unknown): Promise<undefined> {
  if (!(error instanceof WebDriverError && error.isNavigation)) throw error;
  await delay(50);
}

/** Runs in the page. Returns the visible elements that match the selector and the name. */
function findInPage(selector: string, name: { exact: string } | { source: string; flags: string }): Element[] {
  const nameOf = (element: Element) => {
    const labels = 'labels' in element ? (element.labels as NodeListOf<HTMLLabelElement> | null) : null;
    const labelledBy = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const texts = [...labelledBy.map((id) => document.getElementById(id)), labels?.[0], element];
    const text = texts.find((node) => node !== null && node !== undefined)?.textContent ?? '';
    return (element.getAttribute('aria-label') ?? text).trim();
  };
  const matches = (text: string) =>
    'exact' in name ? text === name.exact : new RegExp(name.source, name.flags).test(text);
  return [...document.querySelectorAll(selector)].filter((element) => {
    const isVisible = element.checkVisibility({ visibilityProperty: true });
    return isVisible && element.getClientRects().length > 0 && matches(nameOf(element));
  });
}
