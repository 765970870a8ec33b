import { useMutationState } from '@tanstack/react-query';

/** The service does not take a request from whoever is asking: the page is wrong about the session. */
export class Refused extends Error {
  override name = 'Refused';
}

/** Whether anything that the person did on this page was refused in the last minutes. */
export function useWasRefused(): boolean {
  const errors = useMutationState({ filters: { status: 'error' }, select: ({ state }) => state.error });
  return errors.some((error) => error instanceof Refused);
}
