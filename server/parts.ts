import type { Logger } from 'pino';
import { providerNames } from '../shared/session.ts';
import type { Providers } from './auth/providers.ts';
import type { Config } from './config/config.ts';
import { type Database, openDatabase } from './database/database.ts';
import { lockDatabaseDirectory } from './embedded/data-directory.ts';
import { startEmulatedSignIn } from './embedded/emulated-sign-in.ts';
import { createOfflineModelServer } from './embedded/offline-model/offline-model-server.ts';
import { createAnthropicModel } from './model/anthropic-model.ts';
import type { Model } from './model/model.ts';

/** Opens what the configuration names, else what is embedded; `opened` closes it again. */
export type Open<Part> = (config: Config, opened: AsyncDisposableStack, logger: Logger) => Promise<Part>;

export const openConfiguredDatabase: Open<Database> = async ({ databaseUrl, dataDirectory }, opened, logger) => {
  if (databaseUrl !== undefined) {
    const database = await openDatabase({ kind: 'postgresql', url: databaseUrl }, logger);
    opened.defer(database.close);
    return database;
  }
  const { directory, unlock } = lockDatabaseDirectory(dataDirectory);
  opened.defer(unlock);
  const database = await openDatabase({ kind: 'embedded', directory }, logger);
  opened.defer(database.close);
  return database;
};

export const openModel: Open<Model> = async (
  { model: { apiKey, baseUrl, name }, modelIdleTimeoutMilliseconds },
  opened,
) => {
  const offline = apiKey === undefined && baseUrl === undefined ? await createOfflineModelServer() : undefined;
  opened.defer(() => offline?.close());
  const model = createAnthropicModel({
    apiKey,
    baseUrl: offline?.url ?? baseUrl,
    model: name,
    idleTimeoutMilliseconds: modelIdleTimeoutMilliseconds,
  });
  opened.defer(model.close);
  return model;
};

/** In production there are the configured providers only. */
export const openSignIn: Open<Providers> = async ({ production, providers }, opened) => {
  const missing = providerNames.filter((name) => providers[name] === undefined);
  if (production || missing.length === 0) return providers;
  const emulated = await startEmulatedSignIn(missing);
  opened.defer(emulated.close);
  return { ...emulated.settings, ...providers };
};
