import { type Profile, Strategy, type StrategyOptions } from 'passport-github2';
import type { VerifyFunction } from 'passport-oauth2';
import { z } from 'zod';

const accountSchema = z.object({ id: z.int() });
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

type VerifiedProfile = Omit<Profile, 'emails'> & { emails?: { value: string; verified?: true }[] };
type Done = (error?: Error | null, profile?: VerifiedProfile) => void;

/**
 * GitHub, where an e-mail address is welcome but not needed: the library's own look-up, which its `user:email` option
 * switches on, fails the whole sign-in of somebody without one.
 */
export class GitHubStrategy extends Strategy {
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
