import { type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import {
  type FieldError,
  type FieldPath,
  type FieldSentences,
  fieldErrors,
  type ListPath,
  memberOnboardingSchema,
  onboardingSchema,
} from '../../shared/onboarding.ts';
import { HttpError } from '../app-error.ts';
import type { Database } from '../database/database.ts';
import type { AuditSourceOf } from '../http/client-address.ts';
import { userOf } from '../http/request-context.ts';
import type { Mount } from '../http/route-checks.ts';

type Options = {
  mount: Mount;
  auditSourceOf: AuditSourceOf;
  engagements: Database['engagements'];
  logger: Logger;
};

/**
 * `POST /onboarding`: 204 if the form completes the user's onboarding, 409 if it was complete already, 422 with
 * messages by field if the form is invalid. Users who join an organization with other members do not describe it.
 */
export function createOnboardingRoute({ mount, auditSourceOf, engagements, logger }: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const onboard: RequestHandler = async (request, response) => {
    const { id: userId, organization } = userOf(response);
    const form = (organization.shared ? memberOnboardingSchema : onboardingSchema).safeParse(request.body);
    if (!form.success) {
      response.status(422).json(fieldSentences(fieldErrors(form.error)));
      return;
    }
    const origin = auditSourceOf(request, response);
    const isNew = await engagements.begin({ userId, orgId: organization.id }, form.data, origin);
    if (!isNew) throw new HttpError(409, 'Onboarding is already complete.');
    logger.info({ audit: true, action: 'onboarded', userId, ...response.locals.context.ids }, 'audit');
    response.status(204).end();
  };
  mount(router, 'onboarding', [onboard]);

  return router;
}

type Section = 'company' | 'profile' | 'engagement';

const labels: Record<'' | Section | FieldPath | ListPath | `${ListPath}.`, string> = {
  '': 'The form',
  company: 'The company',
  'company.name': 'The company name',
  'company.industry': 'The industry',
  'company.size': 'The company size',
  profile: 'The profile',
  'profile.role': 'Your role',
  engagement: 'The engagement',
  'engagement.focus': 'The focus',
  'engagement.hypotheses': 'The hypotheses',
  'engagement.hypotheses.': 'A hypothesis',
  'engagement.unknowns': 'The unknowns',
  'engagement.unknowns.': 'An unknown',
};

function fieldSentences(errors: readonly FieldError[]): FieldSentences {
  return Object.fromEntries(errors.map((error) => [error.field, sentenceOf(error)]));
}

function sentenceOf({ field, code, limit }: FieldError): string {
  // An entry of a list ends with its index.
  const path = field.replace(/\d+$/, '') as keyof typeof labels;
  switch (code) {
    case 'required':
      return `${labels[path]} is required.`;
    case 'wrongType':
      return `${labels[path]} must be ${typeAt(path)}.`;
    case 'tooLong':
      return `${labels[path]} can have at most ${limit} characters.`;
    case 'tooMany':
      return `At most ${limit} entries.`;
  }
}

const lists: readonly string[] = ['engagement.hypotheses', 'engagement.unknowns'] satisfies ListPath[];

function typeAt(path: string): string {
  if (lists.includes(path)) return 'a list';
  return path.includes('.') ? 'text' : 'an object';
}
