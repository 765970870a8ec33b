import type { Strategy } from 'passport';
import { Strategy as GoogleStrategy } from 'passport-google-oauth20';
import { Strategy as MicrosoftStrategy } from 'passport-microsoft';
import type OAuth2Strategy from 'passport-oauth2';
import { routes } from '../../shared/interface.ts';
import type { ProviderName } from '../../shared/session.ts';
import { GitHubStrategy } from './github-strategy.ts';
import { secureProviderCalls } from './provider-calls.ts';
import type { StateStore } from './sign-in-attempts.ts';

/** `baseUrl` is an emulator's address in place of the real provider's. */
export type ProviderSettings = { clientId: string; clientSecret: string; baseUrl?: string };

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

/** A row for each provider: its strategy, what is asked of it, and where its emulator has its parts. */
const strategies: Record<ProviderName, (parts: Parts) => Strategy> = {
  google: ({ options, emulated }) =>
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
  github: ({ options, emulated }) =>
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
  microsoft: ({ options, microsoftTenant, emulated }) =>
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
};

/** The Passport strategy of one provider, with PKCE (S256); `stateStore` keeps state and verifier of each attempt. */
export function createStrategy(
  name: ProviderName,
  { clientId, clientSecret, baseUrl }: ProviderSettings,
  options: {
    publicUrl: string;
    timeoutMilliseconds: number;
    stateStore: StateStore;
    microsoftTenant?: string | undefined;
  },
): Strategy {
  const { publicUrl, timeoutMilliseconds, stateStore, microsoftTenant } = options;
  const strategy = strategies[name]({
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
