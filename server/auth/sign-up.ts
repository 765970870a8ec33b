import type { Identity } from './people.ts';

/** Who may sign up without an invitation: anybody, or whose verified address is in one of `domains`. */
export type SignUp = { mode: 'open' | 'invited'; domains: readonly string[] };

/** Whether somebody may. An address that the provider has not verified says nothing about who they are. */
export function maySignUp({ email, emailVerified }: Identity, { mode, domains }: SignUp): boolean {
  if (mode === 'open') return true;
  const domain = email?.split('@').at(-1)?.toLowerCase();
  return emailVerified && domain !== undefined && domains.includes(domain);
}
