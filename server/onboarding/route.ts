import { type Request, type RequestHandler, Router } from 'express';
import { routes } from '../../shared/interface.ts';
import { fieldErrors, onboardingSchema } from '../../shared/onboarding.ts';
import type { Database } from '../database/database.ts';
import { HttpError } from '../http/http-error.ts';
import { jsonBody } from '../http/json-body.ts';

type Options = {
  /** Let a signed-in user pass who sends this from a page of ours. */
  guards: readonly RequestHandler[];
  /** Whom the guards let pass. */
  currentUser: (request: Request) => { id: string; organization: { id: string } };
  engagements: Database['engagements'];
  maxBodyBytes: number;
};

/**
 * `POST /onboarding`: what the page's form sends. 204 when the person is onboarded by it, 409 when they were before,
 * 422 with the sentences by field where something is missing.
 */
export function createOnboardingRoute({ guards, currentUser, engagements, maxBodyBytes }: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.post(routes.onboarding, ...guards, jsonBody(maxBodyBytes), async (request, response) => {
    const form = onboardingSchema.safeParse(request.body);
    if (!form.success) {
      response.status(422).json(fieldErrors(form.error));
      return;
    }
    const { id: userId, organization } = currentUser(request);
    const begun = await engagements.begin({ userId, orgId: organization.id }, form.data);
    if (!begun) throw new HttpError(409, 'You have completed onboarding already.');
    response.status(204).end();
  });

  return router;
}
