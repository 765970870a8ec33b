import { routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';

export type Browser = ReturnType<typeof createBrowser>;

/** What a link to a sign-in carries on. */
type Going = { returnTo?: string; invitation?: string };

/**
 * As much of a browser as a sign-in takes: it keeps cookies for each host and can press a button on an emulator's page.
 * Redirects are returned, not followed. `siteHeaders` go with every request to the site at `baseUrl`.
 */
export function createBrowser(baseUrl: string, siteHeaders: Record<string, string> = {}) {
  const jars = new Map<string, Map<string, string>>();
  const site = new URL(baseUrl);

  function jarOf({ hostname }: URL): Map<string, string> {
    const jar = jars.get(hostname) ?? new Map<string, string>();
    jars.set(hostname, jar);
    return jar;
  }

  /** One request to a path of the site or to any address, with the cookies of its host. */
  async function request(target: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(target, site);
    const jar = jarOf(url);
    const headers = new Headers(url.host === site.host ? siteHeaders : {});
    if (jar.size > 0) headers.set('Cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) keep(jar, cookie);
    return response;
  }

  /** The address to which the site sends somebody who wants to sign in. */
  async function addressAtProvider(provider: ProviderName, going: Going = {}): Promise<string> {
    return locationOf(await request(`${routes.signIn}/${provider}?${new URLSearchParams({ ...going })}`));
  }

  /** Chooses a person (an e-mail address or login) at the provider; gives the address that leads back, not yet opened. */
  async function approve(provider: ProviderName, person: string, going?: Going): Promise<string> {
    const address = await addressAtProvider(provider, going);
    const page = await (await request(address)).text();
    const form = formsOf(page).find(({ text }) => text.includes(`>${person}<`));
    if (form === undefined) throw new Error(`${provider} does not offer ${person}.`);
    return locationOf(await request(new URL(form.action, address).href, { method: 'POST', body: form.fields }));
  }

  return {
    request,

    /** Posts `body` as JSON to a path of the site. */
    post: (path: string, body: unknown) =>
      request(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),

    addressAtProvider,
    approve,

    /** Whom a provider's page at `address` offers, each by e-mail address and login. */
    async peopleAt(address: string): Promise<string[]> {
      const forms = formsOf(await (await request(address)).text());
      const names = forms.flatMap(({ text }) => [...text.matchAll(/class="user-(?:login|email)">([^<]+)</g)]);
      return [...new Set(names.map(([, name = '']) => unescaped(name)))];
    },

    /** Signs in, and gives the site's answer: a redirect to where the person goes next. */
    async signInWith(provider: ProviderName, person: string, going?: Going): Promise<Response> {
      return request(await approve(provider, person, going));
    },

    /** The site's cookies, as `name=value`. */
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

function keep(jar: Map<string, string>, cookie: string): void {
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
  if (name === undefined || value === undefined) return;
  // As browsers do: see the cookie prefixes of RFC 6265bis.
  const isBoundToHost =
    /;\s*Secure(;|$)/i.test(cookie) && /;\s*Path=\/(;|$)/i.test(cookie) && !/;\s*Domain=/i.test(cookie);
  if (name.startsWith('__Host-') && !isBoundToHost) return;
  const expires = /;\s*Expires=([^;]+)/i.exec(cookie)?.[1];
  if (expires !== undefined && Date.parse(expires) <= Date.now()) jar.delete(name);
  else jar.set(name, value);
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
