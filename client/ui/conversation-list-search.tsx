import { type Ref, useId } from 'react';

type SearchProps = { ref: Ref<HTMLInputElement>; words: string; onWords: (words: string) => void };

/** Finds conversations by what was said in them. */
export function ConversationListSearch({ ref, words, onWords }: SearchProps) {
  const id = useId();
  return (
    <div>
      <label className="visually-hidden" htmlFor={id}>
        Search conversations
      </label>
      <input
        ref={ref}
        id={id}
        type="search"
        placeholder="Search"
        dir="auto"
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
    </div>
  );
}
