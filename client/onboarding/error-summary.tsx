import { useTranslations } from 'use-intl/react';
import type { FieldErrors } from '../../shared/onboarding.ts';

/** Every complaint about the form, each a link to its field. */
export function ErrorSummary({ errors }: { errors: FieldErrors }) {
  const say = useTranslations('onboarding');
  return (
    <div className="notice notice-error">
      {/* The list gets shorter as the person mends the fields, which is not worth an interruption each time. */}
      <p role="alert">{say('lookAgain')}</p>
      <ul className="complaints">
        {Object.entries(errors).map(([field, sentence]) => (
          <li key={field}>
            <a href={`#${field}`}>{sentence}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
