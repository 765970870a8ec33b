import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../server/config/config.ts';
import { openOrm } from '../../../server/database/orm.ts';
import { createOfflineModelServer } from '../../../server/embedded/offline-model.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { start } from '../../../server/start.ts';
import { atEndOfRun } from '../../support/end-of-run.ts';
import { createMigratedDataDirectory } from '../../support/migrated-cluster.ts';

export type Product = Awaited<ReturnType<typeof startProduct>>;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const logger = createLogger({ level: 'silent' });

/**
 * Starts the product in its own data directory, with the embedded model, which does not pause between words, because the page would
 * render after each pause. `environment` contains further settings.
 */
export async function startProduct(environment: Record<string, string> = {}) {
  const model = await createOfflineModelServer({ paceMilliseconds: 0 });
  const { path: dataDirectory, remove: removeData } = await createMigratedDataDirectory();
  const startOn = (port: string) =>
    start({
      config: loadConfig({
        ANTHROPIC_BASE_URL: model.url,
        ...environment,
        PORT: port,
        DATA_DIR: dataDirectory,
        LOG_LEVEL: 'silent',
      }),
      logger,
      root,
      processLabels: { instance: 'test/1', version: '0.0.0' },
      development: false,
      droppedLogLines: () => 0,
    });

  const { publicUrl: url, stop: stopFirst } = await startOn('0');
  let stop = stopFirst;

  return {
    url,

    stop: () => stop(),

    /** Restarts at the same address with the same data. */
    async restart(): Promise<void> {
      ({ stop } = await startOn(new URL(url).port));
    },

    /** Bypasses the repositories. The product must be stopped, because an embedded database has only one user. */
    async execute(...statements: string[]): Promise<void> {
      const orm = await openOrm({ kind: 'embedded', directory: join(dataDirectory, 'database') }, logger);
      try {
        for (const statement of statements) await orm.em.fork().execute(statement);
      } finally {
        await orm.close(true);
      }
    },

    async remove(): Promise<void> {
      await stop();
      await model.close();
      await removeData();
    },
  };
}

let shared: Promise<Product> | undefined;

/** Returns one product for all tests that do not stop it. Visitors are independent of each other. */
export function sharedProduct(): Promise<Product> {
  shared ??= startProduct().then((product) => {
    atEndOfRun(product.remove);
    return product;
  });
  return shared;
}
