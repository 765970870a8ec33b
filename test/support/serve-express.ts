import { createServer } from 'node:http';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { errorHandler } from '../../server/http/errors.ts';
import { createLogger } from '../../server/http/logger.ts';
import { assignContext } from '../../server/http/request-context.ts';
import { closing } from './closing.ts';
import { listen } from './loopback.ts';

/** Serves what `configure` adds, between the context of a request and the error handler, without the rest of the application. */
export async function serveExpress(configure: (app: Express, logger: Logger) => void) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const app = express();
  app.use((request, response, next) => {
    assignContext(request, response, logger);
    next();
  });
  configure(app, logger);
  app.use(errorHandler);
  const { port, close } = await listen(createServer(app));
  return closing({ url: `http://127.0.0.1:${port}`, lines, close });
}
