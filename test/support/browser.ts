import { routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';

export type Browser = ReturnType<typeof createBrowser>;

type SignInQuery = { returnTo?: string; invitation?: string };

/**
 * Simulates the parts of a browser that a sign-in needs: it stores cookies per host and submits the forms of an
 * emulated provider. Redirects are returned, not followed. `siteHeaders` are sent with every request to the site at
 * `baseUrl`.
 */
export function createBrowser(baseUrl: string, siteHeaders: Record<string, string> = {}) {
  const jars = new Map<string, Map<string, string>>();
  const site = new URL(baseUrl);

  function jarOf({ hostname }: URL): Map<string, string> {
    const jar = jars.get(hostname) ?? new Map<string, string>();
    jars.set(hostname, jar);
    return jar;
  }

  /** Sends a request with the cookies of its host. `target` is a path of the site, or a URL. */
  async function request(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target, site);
    const jar = jarOf(url);
    const headers = new Headers(url.host === site.host ? siteHeaders : {});
    if (jar.size > 0) headers.set('Cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) storeCookie(jar, cookie);
    return response;
  }

  async function addressAtProvider(provider: ProviderName, query: SignInQuery = {}): Promise<string> {
    return locationOf(await request(`${routes.signIn}/${provider}?${new URLSearchParams({ ...query })}`));
  }

  /** Chooses a person (by e-mail address or login) at the provider, and returns the callback URL without opening it. */
  async function approve(provider: ProviderName, person: string, query?: SignInQuery): Promise<string> {
    const address = await addressAtProvider(provider, query);
    const page = await (await request(address)).text();
    const form = formOf(page, person);
    return locationOf(await request(new URL(form.action, address).href, { method: 'POST', body: form.fields }));
  }

  return {
    request,

    post: (path: string, body: unknown) =>
      request(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),

    addressAtProvider,
    approve,

    async peopleAt(address: string): Promise<string[]> {
      const forms = formsOf(await (await request(address)).text());
      const names = forms.flatMap(({ text }) => [...text.matchAll(/class="user-(?:login|email)">([^<]+)</g)]);
      return [...new Set(names.map(([, name = '']) => unescaped(name)))];
    },

    /** Signs in, and returns the site's response to the callback: a redirect to the person's next page. */
    async signInWith(provider: ProviderName, person: string, query?: SignInQuery): Promise<Response> {
      return request(await approve(provider, person, query));
    },

    cookies(): string[] {
      return [...jarOf(site)].map(([name, value]) => `${name}=${value}`);
    },
  };
}

export function locationOf(response: Response): string {
  const location = response.headers.get('Location');
  if (location === null) throw new Error(`A redirect was expected, but the answer was ${response.status}.`);
  return location;
}

/** Stores a cookie unless it violates the conditions of its name's prefix, because browsers reject such a cookie. */
function storeCookie(jar: Map<string, string>, cookie: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
  if (name === undefined || value === undefined) return;
  const attributes = new Set(
    cookie
      .split(';')
      .slice(1)
      .map((attribute) => attribute.trim().toLowerCase()),
  );
  const isSecure = attributes.has('secure');
  const isForHost = attributes.has('path=/') && ![...attributes].some((attribute) => attribute.startsWith('domain='));
  if (name.startsWith('__Host-') && !(isSecure && isForHost)) return;
  if (name.startsWith('__Secure-') && !isSecure) return;
  const expires = /;\s*Expires=([^;]+)/i.exec(cookie)?.[1];
  if (expires !== undefined && Date.parse(expires) <= Date.now()) jar.delete(name);
  else jar.set(name, value);
}

/** Returns the form of `person` on the page of an emulated provider. */
export function formOf(page: string, person: string) {
  const form = formsOf(page).find(({ text }) => text.includes(`>${person}<`));
  if (form === undefined) throw new Error(`The provider does not offer ${person}.`);
  return form;
}

function formsOf(page: string) {
  return [...page.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', body = '']) => ({
    action,
    text: body,
    fields: new URLSearchParams(
      [...body.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        unescaped(value),
      ]),
    ),
  }));
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
