import type { ReactNode } from 'react';

type WelcomeProps = {
  heading: string;
  suggestions: readonly string[];
  onChoose: (question: string) => void;
  disabled: boolean;
  children: ReactNode;
};

/** What an empty conversation shows: where one is, and questions to begin with. */
export function Welcome({ heading, suggestions, onChoose, disabled, children }: WelcomeProps) {
  return (
    <section className="welcome">
      <h1>{heading}</h1>
      {children}
      <ul className="suggestions" aria-label="Suggested questions">
        {suggestions.map((question) => (
          <li key={question}>
            <button type="button" className="suggestion" disabled={disabled} onClick={() => onChoose(question)}>
              <span dir="auto">{question}</span>
              <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
                <path d="M3 8h10M9 4l4 4-4 4" />
              </svg>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
