import { type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { routes } from '../../shared/interface.ts';
import { fieldErrors, memberOnboardingSchema, onboardingSchema } from '../../shared/onboarding.ts';
import { HttpError } from '../app-error.ts';
import type { Database } from '../database/database.ts';
import { jsonBody } from '../http/json-body.ts';
import type { OriginOf } from '../http/origin.ts';
import { principalOf } from '../http/request-context.ts';

type Options = {
  /** Let a signed-in user pass. That the request is from a page of ours is asked before the router. */
  guards: readonly RequestHandler[];
  originOf: OriginOf;
  engagements: Database['engagements'];
  logger: Logger;
  maxBodyBytes: number;
};

/**
 * `POST /onboarding`: what the page's form sends. 204 when the person is onboarded by it, 409 when they were before,
 * 422 with the sentences by field where something is missing. Who joins others does not describe the organization.
 */
export function createOnboardingRoute(options: Options): Router {
  const { guards, originOf, engagements, logger, maxBodyBytes } = options;
  const router = Router({ caseSensitive: true, strict: true });

  router.post(routes.onboarding, ...guards, jsonBody(maxBodyBytes), async (request, response) => {
    const { id: userId, organization } = principalOf(response);
    const form = (organization.shared ? memberOnboardingSchema : onboardingSchema).safeParse(request.body);
    if (!form.success) {
      response.status(422).json(fieldErrors(form.error));
      return;
    }
    const origin = originOf(request, response);
    const begun = await engagements.begin({ userId, orgId: organization.id }, form.data, origin);
    if (!begun) throw new HttpError(409, 'You have completed onboarding already.');
    logger.info({ audit: true, action: 'onboarded', userId, ...response.locals.context.ids }, 'audit');
    response.status(204).end();
  });

  return router;
}
