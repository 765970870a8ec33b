import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Field } from '../controls/field.tsx';
import { Notice } from '../controls/notice.tsx';
import { Refused } from '../session/refused.ts';
import { sessionQuery, type User } from '../session/session.ts';
import { CompanyFields } from './company-fields.tsx';
import { ErrorSummary } from './error-summary.tsx';
import { suggestQuestions } from './first-questions.ts';
import { byField, complaints, type Form, toJoiningRequest, toRequest } from './form.ts';
import { dropForm, keepForm, keptForm } from './form-draft.ts';
import { keepFirstQuestions } from './kept-questions.ts';
import { LimitNotice } from './limit-notice.tsx';
import { StatementList } from './statement-list.tsx';
import { submitOnboarding } from './submit.ts';
import { useComplaints } from './use-complaints.ts';

/** The form of the onboarding page. Once it is accepted, or refused, the session says so and the page moves on. */
export function OnboardingForm({ user: { id: userId, organization } }: { user: User }) {
  const say = useTranslations('onboarding');
  const choices = useTranslations('onboardingChoices');
  const suggest = useTranslations('firstQuestions');
  const inOurWords = useComplaints();
  const isJoining = organization.shared === true;
  const [form, setForm] = useState(() => keptForm(userId));
  const [attempts, setAttempts] = useState(0);
  const element = useRef<HTMLFormElement>(null);
  const queryClient = useQueryClient();

  const submission = useMutation({
    mutationFn: (submitted: Form) => submitOnboarding(isJoining ? toJoiningRequest(submitted) : toRequest(submitted)),
    onSuccess: async ({ type }, submitted) => {
      if (type === 'limited') return;
      if (type === 'invalid') {
        setAttempts((count) => count + 1);
      } else {
        const organizationName = isJoining ? organization.name : submitted.companyName;
        dropForm(userId);
        keepFirstQuestions(userId, suggestQuestions(suggest, organizationName, toJoiningRequest(submitted)));
      }
      // What the service complains about may be what is asked of the first member alone, and the others have left meanwhile.
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
  const { data: result, variables: submitted } = submission;
  const limited = result?.type === 'limited' ? result : undefined;
  const refused = result?.type === 'invalid' && submitted ? byField(submitted, result.errors) : {};
  // From the first attempt on, a complaint goes as soon as its field is mended.
  const errors = inOurWords(attempts === 0 ? {} : { ...refused, ...complaints(form, { isJoining }) });

  useEffect(() => {
    if (attempts > 0) element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [attempts]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(complaints(form, { isJoining })).length === 0) submission.mutate(form);
    else setAttempts(attempts + 1);
  };
  const set = (changed: Partial<Form>) => {
    const next = { ...form, ...changed };
    setForm(next);
    keepForm(userId, next);
  };

  return (
    <form ref={element} className="form" onSubmit={submit} noValidate>
      {Object.keys(errors).length > 0 && <ErrorSummary errors={errors} />}
      {isJoining ? (
        <p>
          {say.rich('joining', {
            name: organization.name,
            strong: (name) => <strong dir="auto">{name}</strong>,
          })}
        </p>
      ) : (
        <CompanyFields form={form} set={set} errors={errors} />
      )}
      <Field
        id="profile.role"
        label={say('role')}
        autoComplete="organization-title"
        choices={choices('role').split('\n')}
        value={form.role}
        onChange={(role) => set({ role })}
        error={errors['profile.role']}
      />
      <Field
        id="engagement.focus"
        label={say('focus')}
        optional
        multiline
        hint={say('focusHint')}
        value={form.focus}
        onChange={(focus) => set({ focus })}
        error={errors['engagement.focus']}
      />
      <StatementList
        list="hypotheses"
        entries={form.hypotheses}
        onChange={(hypotheses) => set({ hypotheses })}
        errors={errors}
      />
      <StatementList
        list="unknowns"
        entries={form.unknowns}
        onChange={(unknowns) => set({ unknowns })}
        errors={errors}
      />
      {submission.isError && !(submission.error instanceof Refused) && <Notice tone="error">{say('notTaken')}</Notice>}
      {limited && <LimitNotice resumesAt={limited.resumesAt} onOver={submission.reset} />}
      <Button kind="primary" type="submit" disabled={submission.isPending || limited !== undefined}>
        {say(submission.isPending ? 'oneMoment' : 'start')}
      </Button>
    </form>
  );
}
