import { useMutationState } from '@tanstack/react-query';

/** The service refuses requests with this session: the page is wrong about who is signed in. */
export class Refused extends Error {
  override name = 'Refused';
}

/** Whether anything that the person did on this page was refused in the last minutes. */
export function useWasRefused(): boolean {
  const errors = useMutationState({ filters: { status: 'error' }, select: ({ state }) => state.error });
  return errors.some((error) => error instanceof Refused);
}
