import { Agent as HttpAgent, type RequestOptions } from 'node:http';
import https, { Agent as HttpsAgent } from 'node:https';
import type { Request } from 'express';
import { type dataCallback, OAuth2 } from 'oauth';
import type { Strategy } from 'passport';
import { Strategy as LibraryGitHubStrategy, type Profile } from 'passport-github2';
import { Strategy as LibraryGoogleStrategy } from 'passport-google-oauth20';
import { Strategy as LibraryMicrosoftStrategy } from 'passport-microsoft';
import type OAuth2Strategy from 'passport-oauth2';
import { z } from 'zod';
import { routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';
import { type Proxies, proxyFor } from '../proxies.ts';

export type ProviderSettings = {
  clientId: string;
  clientSecret: string;
  /** These URLs replace the defaults of the strategy. */
  endpoints?: Endpoints;
  /** The field of a profile that identifies its user; by default the subject. */
  idField?: 'subject' | 'email';
};

export type Endpoints = Partial<
  Record<'authorizationURL' | 'tokenURL' | 'userProfileURL' | 'userEmailURL' | 'apiEntryPoint', string>
>;

export type ExchangeOptions = {
  publicUrl: string;
  /** The time limit for all of a provider's responses together. */
  timeoutMilliseconds: number;
  microsoftTenant?: string | undefined;
  proxies: Proxies;
};

export type Providers = Partial<Record<ProviderName, ProviderSettings>>;

/**
 * The interface of `passport-oauth2`, for one sign-in: `store` is called at its start, and `verify` at its callback. `verify` passes
 * the verifier to `done`, or false if the state does not match.
 */
export type StateStore = {
  store(
    request: Request,
    verifier: string,
    state: unknown,
    meta: unknown,
    done: (error: Error | null, state?: string) => void,
  ): void;
  verify(request: Request, state: string, done: (error: Error | null, verifier: string | false) => void): void;
};

type StrategySettings = {
  options: {
    clientID: string;
    clientSecret: string;
    callbackURL: string;
    store: OAuth2Strategy.StateStore;
    pkce: boolean;
  } & Endpoints;
  connection: ConnectionSettings;
  microsoftTenant: string | undefined;
};

type ConnectionSettings = Pick<ExchangeOptions, 'timeoutMilliseconds' | 'proxies'>;

type VerifyCallback = (error: null, profile: object) => void;

/** Discards both tokens: only the profile is used. */
const verify = (_accessToken: string, _refreshToken: string, profile: object, done: VerifyCallback) =>
  done(null, profile);

type Provider = {
  /** Where an operator registers the service. The documentation prints it. */
  registration: string;
  /** The servers to which the service sends requests. */
  servers: readonly string[];
  strategy(settings: StrategySettings): Strategy;
  /** When an email address counts as verified. The documentation prints it. */
  emailVerification: string;
  /** Whether the provider's addresses count as verified even though its profiles do not say so. */
  trustsEmail(settings: { microsoftTenant: string | undefined }): boolean;
};

export function createStrategy(
  name: ProviderName,
  { clientId, clientSecret, endpoints }: ProviderSettings,
  { publicUrl, timeoutMilliseconds, microsoftTenant, proxies }: ExchangeOptions,
  stateStore: StateStore,
): Strategy {
  return providers[name].strategy({
    options: {
      clientID: clientId,
      clientSecret,
      callbackURL: new URL(`${routes.signIn}/${name}/callback`, publicUrl).href,
      // The library's types do not include a store for the PKCE verifier.
      store: stateStore as unknown as OAuth2Strategy.StateStore,
      pkce: true,
      ...endpoints,
    },
    connection: { timeoutMilliseconds, proxies },
    microsoftTenant,
  });
}

/**
 * Sends all requests to a provider. They time out after `timeoutMilliseconds`, and the access token is in a header and never
 * in the URL. A malformed response is reported as an error, because the library parses responses in socket callbacks, where an
 * exception would end the process.
 */
class ProviderClient extends OAuth2 {
  readonly #connection: ConnectionSettings;

  /** Copies the settings of `configured`, the client that the constructor of the strategy has created. */
  constructor(configured: OAuth2, connection: ConnectionSettings) {
    super('', '', '');
    Object.assign(this, configured);
    this.useAuthorizationHeaderforGET(true);
    this.#connection = connection;
  }

  // The library has no option for a signal, a time limit or a proxy that depends on the host.
  protected override _executeRequest(
    library: string,
    options: RequestOptions,
    body: unknown,
    callback?: dataCallback,
  ): void {
    const { timeoutMilliseconds, proxies } = this.#connection;
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    // The parameter is the module, and not a string as the library's types say.
    const secure = (library as unknown) === https;
    const proxy = proxyFor(
      proxies,
      `${secure ? 'https' : 'http'}://${options.host}:${options.port ?? (secure ? 443 : 80)}`,
    );
    super._executeRequest(
      library,
      { ...options, ...agentFor(proxy, secure), signal },
      body,
      (error, text, response) => {
        try {
          callback?.(error, text, response);
        } catch {
          callback?.({ statusCode: response?.statusCode ?? 0 });
        }
      },
    );
  }
}

function agentFor(proxy: string | undefined, secure: boolean): Pick<RequestOptions, 'agent'> {
  if (proxy === undefined) return {};
  return {
    agent: secure
      ? new HttpsAgent({ proxyEnv: { HTTPS_PROXY: proxy } })
      : new HttpAgent({ proxyEnv: { HTTP_PROXY: proxy } }),
  };
}

export const providers: Record<ProviderName, Provider> = {
  google: {
    registration: 'Google Cloud console, APIs & Services, Credentials: an OAuth client ID of the type Web application',
    servers: ['https://www.googleapis.com'],
    strategy: (settings) => new GoogleStrategy(settings),
    emailVerification: 'Google says `email_verified`',
    trustsEmail: () => false,
  },
  github: {
    registration: 'Settings, Developer settings, OAuth Apps',
    servers: ['https://github.com', 'https://api.github.com'],
    strategy: (settings) => new GitHubStrategy(settings),
    emailVerification: "it is the account's primary address, and GitHub has verified it",
    trustsEmail: () => false,
  },
  microsoft: {
    registration:
      'Entra admin center, App registrations: platform Web, accounts in any organizational directory and personal accounts. The secret is its value, not its id',
    servers: ['https://login.microsoftonline.com', 'https://graph.microsoft.com'],
    strategy: (settings) => new MicrosoftStrategy(settings),
    emailVerification: '`MICROSOFT_TENANT` names the one directory whose accounts may sign in; without it, never',
    // Microsoft does not mark addresses as verified. A single directory is trusted with the addresses of its own users.
    trustsEmail: ({ microsoftTenant }) => microsoftTenant !== undefined,
  },
};

class GoogleStrategy extends LibraryGoogleStrategy {
  constructor({ options, connection }: StrategySettings) {
    super({ ...options, scope: ['openid', 'profile', 'email'] }, verify);
    this._oauth2 = new ProviderClient(this._oauth2, connection);
  }
}

class MicrosoftStrategy extends LibraryMicrosoftStrategy {
  constructor({ options, connection, microsoftTenant }: StrategySettings) {
    super({ ...options, tenant: microsoftTenant, scope: ['user.read'] }, verify);
    this._oauth2 = new ProviderClient(this._oauth2, connection);
  }
}

const accountSchema = z.object({ id: z.int() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

type VerifiedProfile = Omit<Profile, 'emails'> & { emails?: { value: string; verified?: true }[] };
type ProfileCallback = (error?: Error | null, profile?: VerifiedProfile) => void;

/** The library's own lookup with `user:email` fails the sign-in of a user without an email address. */
class GitHubStrategy extends LibraryGitHubStrategy {
  readonly emailsUrl: string;

  constructor({ options, connection }: StrategySettings) {
    super(options, verify);
    this._oauth2 = new ProviderClient(this._oauth2, connection);
    this.emailsUrl = options.userEmailURL ?? 'https://api.github.com/user/emails';
  }

  override authorizationParams({ prompt }: { prompt?: string }): object {
    return { scope: 'user:email', ...(prompt !== undefined && { prompt }) };
  }

  override userProfile(accessToken: string, done: ProfileCallback): void {
    super.userProfile(accessToken, (error, profile) => {
      if (error) return done(error);
      // The library turns a missing id into the string "undefined", which all such users would share.
      if (!accountSchema.safeParse(profile._json).success) return done(new Error('GitHub returned no account id.'));
      // The profile contains only the public address, which may be unverified.
      this._oauth2.get(this.emailsUrl, accessToken, (_error, body) => {
        const email = primaryEmail(body);
        done(null, email === undefined ? profile : { ...profile, emails: [{ value: email, verified: true }] });
      });
    });
  }
}

function primaryEmail(body: unknown): string | undefined {
  const emails = emailsSchema.safeParse(parseJson(body)).data;
  return emails?.find(({ primary, verified }) => primary && verified)?.email;
}

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
