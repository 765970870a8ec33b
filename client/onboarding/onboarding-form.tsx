import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { FieldError, FieldPath, FieldSentences, MemberOnboarding, Onboarding } from '../../shared/onboarding.ts';
import type { User } from '../../shared/session.ts';
import { Button } from '../controls/button.tsx';
import { Countdown } from '../controls/countdown.tsx';
import { Icon } from '../controls/icon.tsx';
import { Notice } from '../controls/notice.tsx';
import { SessionRejectedError, sessionQuery } from '../session/session.ts';
import { steadyNow } from '../steady-now.ts';
import { Field } from './field.tsx';
import { statementsOf, storeStatements } from './first-questions.ts';
import {
  addEntry,
  deleteForm,
  type Entry,
  entriesOf,
  type FormValues,
  isOptional,
  loadForm,
  readForm,
  saveForm,
  sentencesByField,
  statementLists,
  submitOnboarding,
  textFields,
  validateForm,
} from './form.ts';

/** After a response other than `limited`, the refetched session decides what the page shows next. */
export function OnboardingForm({ user: { id: userId, organization } }: { user: User }) {
  const t = useTranslations('onboarding');
  const sentencesOf = useFieldSentences();
  const isJoining = organization.shared === true;
  const [form, setForm] = useState(() => loadForm(userId));
  const [attempts, setAttempts] = useState(0);
  const [summarized, setSummarized] = useState<FieldSentences>({});
  const element = useRef<HTMLFormElement>(null);
  const queryClient = useQueryClient();

  const submission = useMutation({
    mutationFn: ({ request }: { form: FormValues; request: Onboarding | MemberOnboarding }) =>
      submitOnboarding(request),
    onSuccess: async (response, { form: sent, request }) => {
      const { type } = response;
      if (type === 'limited') return;
      if (type === 'invalid') {
        setSummarized(sentencesByField(sent, response.sentences));
        setAttempts((count) => count + 1);
      } else {
        deleteForm(userId);
        // The user can have signed out meanwhile, and with that deleted their data on this device.
        const isSignedIn = queryClient.getQueryData(sessionQuery.queryKey)?.user?.id === userId;
        if (isSignedIn) storeStatements({ userId, organizationId: organization.id }, statementsOf(request));
      }
      // Even after an `invalid` response: the form may have been the one for joining members, and the other members may have
      // left the organization since.
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
  const { data: result, variables: submitted } = submission;
  const limited = result?.type === 'limited' ? result : undefined;
  const refused = result?.type === 'invalid' && submitted ? sentencesByField(submitted.form, result.sentences) : {};
  const invalid = sentencesOf(validateForm(form, { isJoining }));
  // After the first attempt, an error in `invalid` disappears as soon as its field is valid.
  const errors = attempts === 0 ? {} : { ...refused, ...invalid };

  useEffect(() => {
    if (attempts === 0) return;
    const first = element.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    // Scrolls to the summary and the first invalid field; in a short window the field takes precedence.
    element.current?.scrollIntoView({ block: 'start', behavior: 'instant' });
    first?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    first?.focus({ preventScroll: true });
  }, [attempts]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { data: request } = readForm(form, { isJoining });
    setSummarized(invalid);
    if (request !== undefined) submission.mutate({ form, request });
    else setAttempts(attempts + 1);
  };
  const set = (changed: Partial<FormValues>) => {
    const next = { ...form, ...changed };
    setForm(next);
    saveForm(userId, next);
  };

  return (
    <form ref={element} className="form" onSubmit={submit} noValidate>
      {Object.keys(summarized).length > 0 && <ErrorSummary summarized={summarized} errors={errors} />}
      {isJoining && (
        <p>
          {t.rich('joining', {
            name: organization.name,
            strong: (name) => <strong dir="auto">{name}</strong>,
          })}
        </p>
      )}
      <TextFields
        paths={textFieldPaths.filter((path) => !(isJoining && path.startsWith('company.')))}
        texts={form.texts}
        onChange={(key, text) => set({ texts: { ...form.texts, [key]: text } })}
        errors={errors}
      />
      {Object.values(statementLists).map(({ key }) => (
        <StatementList
          key={key}
          listName={key}
          entries={entriesOf(form, key)}
          onChange={(entries) => set({ entries: { ...form.entries, [key]: entries } })}
          errors={errors}
        />
      ))}
      {submission.isError && !(submission.error instanceof SessionRejectedError) && (
        <Notice tone="error">{t('notSaved')}</Notice>
      )}
      {limited && <SaveLimitNotice resumesAt={limited.resumesAt} onEnd={submission.reset} />}
      <Button kind="primary" type="submit" disabled={submission.isPending || limited !== undefined}>
        {t(submission.isPending ? 'submitting' : 'start')}
      </Button>
    </form>
  );
}

const textFieldPaths = Object.keys(textFields).filter((path): path is FieldPath => path in textFields);

type TextFieldsProps = {
  paths: readonly FieldPath[];
  texts: Readonly<Record<string, string>>;
  onChange: (key: string, text: string) => void;
  errors: FieldSentences;
};

function TextFields({ paths, texts, onChange, errors }: TextFieldsProps) {
  const t = useTranslations('onboarding');
  const choices = useTranslations('onboardingChoices');
  const field = (path: FieldPath): ReactNode => {
    const line = textFields[path];
    return (
      <Field
        key={path}
        id={path}
        label={t(line.key)}
        value={texts[line.key] ?? ''}
        onChange={(text) => onChange(line.key, text)}
        error={errors[path]}
        optional={isOptional(path)}
        {...('multiline' in line && { multiline: true, hint: t(line.hint) })}
        {...('autoComplete' in line && { autoComplete: line.autoComplete })}
        {...('hasChoices' in line && { choices: choices(line.key).split('\n') })}
      />
    );
  };
  const rows: FieldPath[][] = [];
  for (const path of paths) {
    const row = rows.at(-1);
    const isBeside = 'isHalfWidth' in textFields[path] && row?.every((other) => 'isHalfWidth' in textFields[other]);
    if (row && isBeside) row.push(path);
    else rows.push([path]);
  }
  return rows.map((row) =>
    row.length === 1 ? (
      row.map(field)
    ) : (
      <div key={row.join()} className="form-row">
        {row.map(field)}
      </div>
    ),
  );
}

/**
 * Lists the errors of the last attempt and every error since, each as a link to its field. A line stays, invisible, once its field is
 * valid, because a line that disappeared would move the field that the user is correcting.
 */
function ErrorSummary({ summarized, errors }: { summarized: FieldSentences; errors: FieldSentences }) {
  const t = useTranslations('onboarding');
  const isCorrected = Object.keys(errors).length === 0;
  const corrected = Object.entries(summarized).filter(([field]) => !(field in errors));
  return (
    <div className={isCorrected ? 'notice notice-calm' : 'notice notice-error'}>
      {/* Only the heading is announced, because the fields describe their errors themselves. */}
      <p role="alert">{t(isCorrected ? 'correctedFields' : 'invalidFields')}</p>
      <ul className="field-errors">
        {Object.entries(errors).map(([field, sentence]) => (
          <li key={field}>
            <a href={`#${field}`}>{sentence}</a>
          </li>
        ))}
        {corrected.map(([field, sentence]) => (
          <li key={field} className="corrected">
            {sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}

function SaveLimitNotice({ resumesAt, onEnd }: { resumesAt: number; onEnd: () => void }) {
  const t = useTranslations('onboarding');

  useEffect(() => {
    const timer = setTimeout(onEnd, resumesAt - steadyNow());
    return () => clearTimeout(timer);
  }, [resumesAt, onEnd]);

  return (
    <Notice tone="warning">{t.rich('tooManyForms', { countdown: () => <Countdown deadline={resumesAt} /> })}</Notice>
  );
}

function useFieldSentences(): (errors: readonly FieldError[]) => FieldSentences {
  const t = useTranslations('fieldErrors');

  const labelKeyAt = (field: string) => {
    const list = Object.entries(statementLists).find(([path]) => field.startsWith(path))?.[1];
    return list?.entry ?? textFields[field as FieldPath].key;
  };
  const sentenceOf = ({ field, code, limit = 0 }: FieldError) => {
    if (code === 'tooMany') return t('tooMany', { most: limit });
    if (code === 'tooLong') return t('tooLong', { what: t(labelKeyAt(field)), most: limit });
    return t('needed', { what: t(labelKeyAt(field)) });
  };
  return (errors) => Object.fromEntries(errors.map((error) => [error.field, sentenceOf(error)]));
}

type StatementListProps = {
  listName: 'hypotheses' | 'unknowns';
  entries: readonly Entry[];
  onChange: (entries: Entry[]) => void;
  errors: FieldSentences;
};

/** A list of one-line statements. Enter adds another one, unless the statement is blank. */
function StatementList({ listName, entries, onChange, errors }: StatementListProps) {
  const t = useTranslations(listName);
  const tOptional = useTranslations('onboarding');
  // The path of the list in the request, as in the keys of `errors`.
  const path = `engagement.${listName}`;
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const previousCount = useRef(entries.length);

  useEffect(() => {
    if (entries.length > previousCount.current) {
      fieldset.current?.querySelector<HTMLElement>('.statement:last-of-type input')?.focus();
    }
    previousCount.current = entries.length;
  }, [entries.length]);

  const add = () => onChange(addEntry(entries));
  const remove = (removed: number) => {
    addButton.current?.focus();
    onChange(entries.filter(({ id }) => id !== removed));
  };

  return (
    <fieldset ref={fieldset} id={path} className="statements">
      <legend>
        {t('legend')} <span className="optional">{tOptional('optional')}</span>
      </legend>
      <p className="hint">{t('hint')}</p>
      {entries.map(({ id, text }, index) => (
        <div className="statement" key={id}>
          <Field
            id={`${path}.${id}`}
            label={t('entry', { number: index + 1 })}
            value={text}
            onChange={(changed) => onChange(entries.map((entry) => (entry.id === id ? { id, text: changed } : entry)))}
            onEnter={() => text.trim() !== '' && add()}
            error={errors[`${path}.${id}`]}
          />
          {(entries.length > 1 || text !== '') && (
            <Button kind="quiet" aria-label={t('remove', { number: index + 1 })} onClick={() => remove(id)}>
              <Icon name="cross" />
            </Button>
          )}
        </div>
      ))}
      {errors[path] && <p className="field-error">{errors[path]}</p>}
      <Button ref={addButton} onClick={add}>
        {t('add')}
      </Button>
    </fieldset>
  );
}
