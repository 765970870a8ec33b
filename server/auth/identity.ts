import { z } from 'zod';
import type { ProviderName } from '../../shared/session.ts';
import type { Identity } from './people.ts';

/** A name enters every prompt and every list: what is longer is cut. */
const longestName = 200;
/** The longest address that mail can be sent to. */
const longestEmail = 254;

const displayed = z.string().trim().min(1).nullish().catch(null);

/** What the three strategies' profiles have in common. Only the subject has to be there. */
const profileSchema = z.object({
  id: z.string().min(1).max(255),
  displayName: displayed,
  username: displayed,
  emails: z
    .array(z.object({ value: displayed, verified: z.literal(true).optional().catch(undefined) }))
    .nullish()
    .catch(null),
});

/** These emulators invent new subjects at every start, so a person there is known by the e-mail address. */
const emulatedByEmail: readonly ProviderName[] = ['google', 'microsoft'];

/**
 * Who the profile says somebody is. `believed`: the provider's word for an address is taken for a verified one, although
 * the profile does not say so.
 * @throws where it does not name a subject
 */
export function identify(
  provider: ProviderName,
  profile: unknown,
  { emulated, believed }: { emulated: boolean; believed: boolean },
): Identity {
  const { id, displayName, username, emails } = profileSchema.parse(profile);
  const { value = null, verified = false } = emails?.[0] ?? {};
  const email = value !== null && value.length <= longestEmail ? value : null;
  const subject = emulated && email !== null && emulatedByEmail.includes(provider) ? email : id;
  const name = displayName ?? username ?? null;
  return {
    provider,
    subject,
    name: name && Array.from(name).slice(0, longestName).join(''),
    email,
    emailVerified: email !== null && (verified || believed),
  };
}
