import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { sessionQuery } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Form, toRequest, withoutBlankEntries } from './form.ts';
import { dropForm, keepForm, keptForm } from './form-draft.ts';
import { StatementList } from './statement-list.tsx';
import { submitOnboarding } from './submit.ts';

/** The form of the onboarding page. Once it is accepted, or the person signed out, the session says so and the page moves on. */
export function OnboardingForm({ userId }: { userId: string }) {
  const [form, setForm] = useState(() => keptForm(userId));
  const element = useRef<HTMLFormElement>(null);
  const queryClient = useQueryClient();

  const submission = useMutation({
    mutationFn: (submitted: Form) => submitOnboarding(toRequest(submitted)),
    onSuccess: async ({ type }, submitted) => {
      if (type === 'invalid') return;
      if (type === 'onboarded') dropForm(userId);
      if (type === 'signed-out') keepForm(userId, submitted);
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
  const result = submission.data;
  const errors = result?.type === 'invalid' ? result.errors : {};

  useEffect(() => {
    if (result?.type === 'invalid') element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [result]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const submitted = withoutBlankEntries(form);
    setForm(submitted);
    submission.mutate(submitted);
  };
  const set = (changed: Partial<Form>) => setForm({ ...form, ...changed });

  return (
    <form ref={element} className="form" onSubmit={submit} noValidate>
      <Field
        label="Company name"
        autoComplete="organization"
        value={form.companyName}
        onChange={(companyName) => set({ companyName })}
        error={errors['company.name']}
      />
      <div className="form-row">
        <Field
          label="Industry"
          value={form.industry}
          onChange={(industry) => set({ industry })}
          error={errors['company.industry']}
        />
        <Field
          label="Company size"
          optional
          hint="For example: 120 people, two sites"
          value={form.companySize}
          onChange={(companySize) => set({ companySize })}
          error={errors['company.size']}
        />
      </div>
      <Field
        label="Your role"
        autoComplete="organization-title"
        value={form.role}
        onChange={(role) => set({ role })}
        error={errors['profile.role']}
      />
      <Field
        label="What the engagement is about"
        optional
        multiline
        value={form.focus}
        onChange={(focus) => set({ focus })}
        error={errors['engagement.focus']}
      />
      <StatementList
        legend="Hypotheses"
        noun="hypothesis"
        hint="What you believe to be true and want to test."
        entries={form.hypotheses}
        onChange={(hypotheses) => set({ hypotheses })}
        errors={errors}
        path="engagement.hypotheses"
      />
      <StatementList
        legend="Unknowns"
        noun="unknown"
        hint="What you do not know yet and need to find out."
        entries={form.unknowns}
        onChange={(unknowns) => set({ unknowns })}
        errors={errors}
        path="engagement.unknowns"
      />
      {Object.keys(errors).length > 0 && <Notice tone="error">Some fields need another look.</Notice>}
      {submission.isError && (
        <Notice tone="error">The service did not take the form. Nothing is lost: try again in a moment.</Notice>
      )}
      <Button kind="primary" type="submit" disabled={submission.isPending}>
        Start the engagement
      </Button>
    </form>
  );
}
