declare module 'passport-microsoft' {
  import type OAuth2Strategy from 'passport-oauth2';

  type Options = Omit<OAuth2Strategy.StrategyOptions, 'authorizationURL' | 'tokenURL'> & {
    authorizationURL?: string | undefined;
    tokenURL?: string | undefined;
    /** The only directory whose accounts can sign in. If undefined, all can. */
    tenant?: string | undefined;
    /** The URL of Microsoft Graph, to which the strategy appends `/v1.0/me/`. */
    apiEntryPoint?: string | undefined;
  };

  export class Strategy extends OAuth2Strategy {
    constructor(options: Options, verify: OAuth2Strategy.VerifyFunction);
  }
}
