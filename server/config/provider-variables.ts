import type { ProviderName } from '../../shared/session.ts';
import type { Environment } from './environment.ts';

type ProviderVariables = { clientId: keyof Environment; clientSecret: keyof Environment; baseUrl: keyof Environment };

export const providerVariables = {
  google: { clientId: 'GOOGLE_CLIENT_ID', clientSecret: 'GOOGLE_CLIENT_SECRET', baseUrl: 'GOOGLE_BASE_URL' },
  github: { clientId: 'GITHUB_CLIENT_ID', clientSecret: 'GITHUB_CLIENT_SECRET', baseUrl: 'GITHUB_BASE_URL' },
  microsoft: {
    clientId: 'MICROSOFT_CLIENT_ID',
    clientSecret: 'MICROSOFT_CLIENT_SECRET',
    baseUrl: 'MICROSOFT_BASE_URL',
  },
} as const satisfies Record<ProviderName, ProviderVariables>;
