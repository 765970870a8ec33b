import type { RequestOptions } from 'node:http';
import type { Strategy } from 'passport';
import { Strategy as LibraryGitHubStrategy, type Profile, type StrategyOptions } from 'passport-github2';
import { Strategy as GoogleStrategy } from 'passport-google-oauth20';
import { Strategy as MicrosoftStrategy } from 'passport-microsoft';
import type OAuth2Strategy from 'passport-oauth2';
import type { VerifyFunction } from 'passport-oauth2';
import { z } from 'zod';
import { routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';
import type { StateStore } from './sign-in-attempts.ts';

/** `baseUrl` is an emulator's address in place of the real provider's. */
export type ProviderSettings = { clientId: string; clientSecret: string; baseUrl?: string };

/** What the exchanges with all providers have in common. */
export type ExchangeOptions = {
  publicUrl: string;
  /** How long a provider may take to answer, in all. */
  timeoutMilliseconds: number;
  /** Keeps state and PKCE verifier of each attempt. */
  stateStore: StateStore;
  /** The one Microsoft directory whose accounts may sign in; undefined, any. */
  microsoftTenant?: string | undefined;
};

/** The providers that people can sign in with here. */
export type Providers = Partial<Record<ProviderName, ProviderSettings>>;

type Parts = {
  options: {
    clientID: string;
    clientSecret: string;
    callbackURL: string;
    store: OAuth2Strategy.StateStore;
    pkce: boolean;
  };
  /** The one directory whose accounts may sign in; undefined, any. */
  microsoftTenant: string | undefined;
  /** The address of a path at the emulator; undefined, the strategy's own default, at the real provider. */
  emulated: (path: string) => string | undefined;
};

type Verified = (error: null, profile: object) => void;

/** The profile is all that is kept of an exchange: the two tokens end here. */
const verify = (_accessToken: string, _refreshToken: string, profile: object, verified: Verified) =>
  verified(null, profile);

type Provider = {
  /** Where an operator registers the service, for the guide. */
  registration: string;
  /** Its strategy, what is asked of it, and where its emulator has its parts. */
  strategy(parts: Parts): Strategy;
  emulated: {
    /** Example people for the emulator's page of people to choose from, where it lists some of its own as well. */
    people: readonly { email?: string; login?: string; name?: string }[];
    /** By what a person is known there: some emulators invent new subjects at every start. */
    knownBy: 'subject' | 'email';
  };
  /** When an address is taken for verified, for the guide. */
  proof: string;
  /** Whether the provider's word for an address is believed, although the profile does not say that it is verified. */
  isBelieved(settings: { microsoftTenant: string | undefined }): boolean;
};

/** The Passport strategy of one provider, with PKCE (S256). */
export function createStrategy(
  name: ProviderName,
  { clientId, clientSecret, baseUrl }: ProviderSettings,
  { publicUrl, timeoutMilliseconds, stateStore, microsoftTenant }: ExchangeOptions,
): Strategy {
  const strategy = providers[name].strategy({
    options: {
      clientID: clientId,
      clientSecret,
      callbackURL: new URL(`${routes.signIn}/${name}/callback`, publicUrl).href,
      // The library's types have no store that keeps PKCE's verifier.
      store: stateStore as unknown as OAuth2Strategy.StateStore,
      pkce: true,
    },
    microsoftTenant,
    emulated: (path) => (baseUrl === undefined ? undefined : new URL(path, baseUrl).href),
  });
  secureProviderCalls(strategy, timeoutMilliseconds);
  return strategy;
}

type Answered = (error: unknown, body?: unknown, response?: unknown) => void;

/** The part of the strategies' shared OAuth client through which each of their calls to a provider goes. */
type OAuthClient = {
  _useAuthorizationHeaderForGET: boolean;
  _executeRequest(library: unknown, options: RequestOptions, body: unknown, answered: Answered): void;
};

/**
 * Makes a strategy's calls to its provider safe: they end after `timeoutMilliseconds`, the access token travels in a
 * header and never in an address, and an answer of an unexpected shape is an error of that call. The client reads answers
 * inside socket callbacks, where an exception would end the process.
 */
function secureProviderCalls(strategy: Strategy, timeoutMilliseconds: number): void {
  const client: OAuthClient = Reflect.get(strategy, '_oauth2');
  const execute = client._executeRequest.bind(client);
  client._useAuthorizationHeaderForGET = true;
  client._executeRequest = (library, options, body, answered) => {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    execute(library, { ...options, signal }, body, (error, ...answer) => {
      try {
        answered(error, ...answer);
      } catch (cause) {
        answered(cause);
      }
    });
  };
}

const avery = { email: 'avery@example.com', name: 'Avery Example' };

/** All that the providers differ in, beside their names, labels and marks. */
export const providers: Record<ProviderName, Provider> = {
  google: {
    registration: 'Google Cloud console, APIs & Services, Credentials: an OAuth client ID of the type Web application',
    strategy: ({ options, emulated }) =>
      new GoogleStrategy(
        {
          ...options,
          scope: ['openid', 'profile', 'email'],
          authorizationURL: emulated('/o/oauth2/v2/auth'),
          tokenURL: emulated('/oauth2/token'),
          userProfileURL: emulated('/oauth2/v2/userinfo'),
        },
        verify,
      ),
    emulated: { people: [avery, { email: 'blake@example.com', name: 'Blake Example' }], knownBy: 'email' },
    proof: 'Google says `email_verified`',
    isBelieved: () => false,
  },
  github: {
    registration: 'Settings, Developer settings, OAuth Apps',
    strategy: ({ options, emulated }) =>
      new GitHubStrategy(
        {
          ...options,
          authorizationURL: emulated('/login/oauth/authorize'),
          tokenURL: emulated('/login/oauth/access_token'),
          userProfileURL: emulated('/user'),
          userEmailURL: emulated('/user/emails'),
        },
        verify,
      ),
    emulated: { people: [{ login: 'avery-example', ...avery }, { login: 'casey-example' }], knownBy: 'subject' },
    proof: "it is the account's primary address, and GitHub has verified it",
    isBelieved: () => false,
  },
  microsoft: {
    registration:
      'Entra admin center, App registrations: platform Web, accounts in any organizational directory and personal accounts. The secret is its value, not its id',
    strategy: ({ options, microsoftTenant, emulated }) =>
      new MicrosoftStrategy(
        {
          ...options,
          tenant: microsoftTenant,
          scope: ['user.read'],
          authorizationURL: emulated('/oauth2/v2.0/authorize'),
          tokenURL: emulated('/oauth2/v2.0/token'),
          // The strategy appends `/v1.0/me/`, whose last slash the emulator does not know: here it lands in the query.
          apiEntryPoint: emulated('/v1.0/me?'),
        },
        verify,
      ),
    emulated: { people: [avery, { email: 'drew@example.com', name: 'Drew Example' }], knownBy: 'email' },
    proof: '`MICROSOFT_TENANT` names the one directory whose accounts may sign in; without it, never',
    // Microsoft says of no address that it is verified; what the one directory says of its own people is believed.
    isBelieved: ({ microsoftTenant }) => microsoftTenant !== undefined,
  },
};

const accountSchema = z.object({ id: z.int() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

type VerifiedProfile = Omit<Profile, 'emails'> & { emails?: { value: string; verified?: true }[] };
type Done = (error?: Error | null, profile?: VerifiedProfile) => void;

/**
 * GitHub, where an e-mail address is welcome but not needed: the library's own look-up, which its `user:email` option
 * switches on, fails the whole sign-in of somebody without one.
 */
class GitHubStrategy extends LibraryGitHubStrategy {
  readonly emailsUrl: string;

  constructor(options: StrategyOptions, verify: VerifyFunction<Profile>) {
    super(options, verify);
    this.emailsUrl = options.userEmailURL ?? 'https://api.github.com/user/emails';
  }

  override authorizationParams(): object {
    return { scope: 'user:email' };
  }

  override userProfile(accessToken: string, done: Done): void {
    super.userProfile(accessToken, (error, profile) => {
      if (error) return done(error);
      // The library turns a missing id into the text "undefined", which would make one person of many.
      if (!accountSchema.safeParse(profile._json).success) return done(new Error('GitHub named no account.'));
      // The profile's own address is one that is shown, of which nothing says that it is verified.
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
