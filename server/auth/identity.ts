import { z } from 'zod';
import type { ProviderName } from '../../shared/session.ts';
import type { Identity } from './people.ts';

const displayed = z.string().trim().min(1).nullish().catch(null);

/** What the three strategies' profiles have in common. Only the subject has to be there. */
const profileSchema = z.object({
  id: z.string().min(1),
  displayName: displayed,
  username: displayed,
  emails: z
    .array(z.object({ value: displayed }))
    .nullish()
    .catch(null),
});

/** These emulators invent new subjects at every start, so a person there is known by the e-mail address. */
const emulatedByEmail: readonly ProviderName[] = ['google', 'microsoft'];

/** Who the profile says somebody is; throws where it does not name a subject. */
export function identify(provider: ProviderName, profile: unknown, emulated: boolean): Identity {
  const { id, displayName, username, emails } = profileSchema.parse(profile);
  const email = emails?.[0]?.value ?? null;
  const subject = emulated && email !== null && emulatedByEmail.includes(provider) ? email : id;
  return { provider, subject, name: displayName ?? username ?? null, email };
}
