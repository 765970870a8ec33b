declare module 'passport-microsoft' {
  import type OAuth2Strategy from 'passport-oauth2';

  type Options = Omit<OAuth2Strategy.StrategyOptions, 'authorizationURL' | 'tokenURL'> & {
    authorizationURL?: string | undefined;
    tokenURL?: string | undefined;
    /** The directory whose accounts may sign in; without one, all of them. */
    tenant?: string | undefined;
    /** Where Microsoft Graph is; the strategy appends `/v1.0/me/`. */
    apiEntryPoint?: string | undefined;
  };

  export class Strategy extends OAuth2Strategy {
    constructor(options: Options, verify: OAuth2Strategy.VerifyFunction);
  }
}
