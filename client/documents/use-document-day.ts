import { useFormatter } from 'use-intl/react';

/** How a document writes the day of a moment, in the language of the interface. */
export function useDocumentDay(): (moment: number) => string {
  const format = useFormatter();
  return (moment) => format.dateTime(moment, { dateStyle: 'long' });
}
