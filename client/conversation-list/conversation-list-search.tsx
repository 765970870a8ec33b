import { type Ref, useId } from 'react';
import { useTranslations } from 'use-intl/react';

type SearchProps = { ref: Ref<HTMLInputElement>; words: string; onWords: (words: string) => void };

/** Finds conversations by what was said in them. */
export function ConversationListSearch({ ref, words, onWords }: SearchProps) {
  const say = useTranslations('conversations');
  const id = useId();
  return (
    <div>
      <label className="visually-hidden" htmlFor={id}>
        {say('search')}
      </label>
      <input
        ref={ref}
        id={id}
        type="search"
        placeholder={say('searchHint')}
        dir="auto"
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
    </div>
  );
}
