import type { ProviderName } from '../../shared/session.ts';
import type { Endpoints, ProviderSettings } from '../auth/providers.ts';

type Emulator = {
  /** Example users for the account chooser. */
  people: readonly { email?: string; login?: string; name?: string }[];
  /** The field that identifies a user, because some emulators create new subjects at every start. */
  idField: 'subject' | 'email';
  endpoints: Endpoints;
};

const avery = { email: 'avery@example.com', name: 'Avery Example' };

const emulators: Record<ProviderName, Emulator> = {
  google: {
    people: [avery, { email: 'blake@example.com', name: 'Blake Example' }],
    idField: 'email',
    endpoints: {
      authorizationURL: '/o/oauth2/v2/auth',
      tokenURL: '/oauth2/token',
      userProfileURL: '/oauth2/v2/userinfo',
    },
  },
  github: {
    people: [{ login: 'avery-example', ...avery }, { login: 'casey-example' }],
    idField: 'subject',
    endpoints: {
      authorizationURL: '/login/oauth/authorize',
      tokenURL: '/login/oauth/access_token',
      userProfileURL: '/user',
      userEmailURL: '/user/emails',
    },
  },
  microsoft: {
    people: [avery, { email: 'drew@example.com', name: 'Drew Example' }],
    idField: 'email',
    endpoints: {
      authorizationURL: '/oauth2/v2.0/authorize',
      tokenURL: '/oauth2/v2.0/token',
      // The strategy appends `/v1.0/me/`, but the emulator does not accept the trailing slash, so it is moved into
      // the query.
      apiEntryPoint: '/v1.0/me?',
    },
  },
};

export function emulatorOptions(name: ProviderName, baseUrl: string): Pick<ProviderSettings, 'idField' | 'endpoints'> {
  const { idField, endpoints } = emulators[name];
  const urls = Object.entries(endpoints).map(([option, path]) => [option, new URL(path, baseUrl).href]);
  return { idField, endpoints: Object.fromEntries(urls) };
}

/**
 * Starts an emulator of each provider in `names` on a free loopback port, and returns the settings for signing in with them.
 * The emulators accept any client and any callback URL, and keep their state in memory.
 */
export async function startEmulatedSignIn(
  names: readonly ProviderName[],
): Promise<{ settings: Partial<Record<ProviderName, ProviderSettings>>; close(): Promise<void> }> {
  const { createEmulator } = await import('emulate');
  const started = await Promise.all(
    names.map(async (name) => ({
      name,
      emulator: await createEmulator({ service: name, port: 0, seed: { [name]: { users: emulators[name].people } } }),
    })),
  );
  const client = { clientId: 'advisory-chat', clientSecret: 'emulated' };
  return {
    settings: Object.fromEntries(
      started.map(({ name, emulator }) => [
        name,
        { ...client, ...emulatorOptions(name, loopbackAddress(emulator.url)) },
      ]),
    ),
    async close() {
      await Promise.all(started.map(({ emulator }) => emulator.close()));
    },
  };
}

/** The emulator listens on 127.0.0.1, but its URL has the host `localhost`, which can resolve to another address. */
function loopbackAddress(url: string): string {
  return `http://127.0.0.1:${new URL(url).port}`;
}
