import { useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';

/**
 * Returns the translations that every turn needs. The list creates them once, because each `useTranslations` keeps about 0.5 kB per
 * component, and a conversation can have hundreds of turns.
 */
export function useTurnTranslations() {
  const t = useTranslations('conversation');
  const tCommand = useTranslations('commands');
  const tVersions = useTranslations('versions');
  const tCopy = useTranslations('copying');
  const tProblem = useTranslations('problem');
  const format = useFormatter();
  return useMemo(
    () => ({ t, tCommand, tVersions, tCopy, tProblem, format }),
    [t, tCommand, tVersions, tCopy, tProblem, format],
  );
}

export type TurnTranslations = ReturnType<typeof useTurnTranslations>;
