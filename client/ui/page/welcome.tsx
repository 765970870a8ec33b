import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { Icon } from '../../controls/icon.tsx';

type WelcomeProps = {
  heading: string;
  suggestions: readonly string[];
  onChoose: (question: string) => void;
  disabled: boolean;
  children: ReactNode;
};

export function Welcome({ heading, suggestions, onChoose, disabled, children }: WelcomeProps) {
  const t = useTranslations('conversation');
  return (
    <section className="welcome">
      <h1>{heading}</h1>
      {children}
      <ul className="suggestions" aria-label={t('suggestions')}>
        {suggestions.map((question) => (
          <li key={question}>
            <button type="button" className="suggestion" disabled={disabled} onClick={() => onChoose(question)}>
              <span dir="auto">{question}</span>
              <Icon name="arrow" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
