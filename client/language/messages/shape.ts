import type {} from 'use-intl';
import type { messages as english } from './en.ts';

export type Messages = { [Part in keyof typeof english]: { [Key in keyof (typeof english)[Part]]: string } };

declare module 'use-intl' {
  // The values of a message are inferred from the English text.
  interface AppConfig {
    Messages: typeof english;
  }
}
