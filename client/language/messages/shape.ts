import type {} from 'use-intl';
import type { messages as english } from './en.ts';

/** The same messages in any language. */
export type Messages = { [Part in keyof typeof english]: { [Key in keyof (typeof english)[Part]]: string } };

declare module 'use-intl' {
  // What a message has to be given is read off its English words.
  interface AppConfig {
    Messages: typeof english;
  }
}
