import { routes } from '../../shared/interface.ts';
import { providerLabels, providerNames } from '../../shared/session.ts';
import type { Config } from '../config/config.ts';
import { type Finding, findingsOn } from './finding.ts';

const { ok, skipped } = findingsOn('Sign-in');

/** The callback address to register at each provider. Only a person who signs in can try it. */
export async function checkSignIn({ providers, publicUrl, port }: Config): Promise<Finding[]> {
  const configured = providerNames.filter((name) => providers[name] !== undefined);
  if (configured.length === 0) return [skipped('No provider is configured: all are emulated.')];
  const base = publicUrl ?? `http://localhost:${port}`;
  return configured.map((name) =>
    ok(`The callback address to register with ${providerLabels[name]} is ${base}${routes.signIn}/${name}/callback.`),
  );
}
