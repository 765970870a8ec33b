import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, Fragment, type FunctionComponent, type PropsWithChildren } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Session } from '../../../shared/session.ts';

/** Returns the session of the user `id`, whose name is the id, or a session without a user. */
export function sessionOf(id: string | null, { onboarded = true } = {}): Session {
  const organization = { id: 'an-organization', name: 'Harbor Foods' };
  const user = id === null ? null : { id, name: id, email: null, onboarded, organization };
  return { user, providers: ['google'] };
}

/** Renders a component with the hook, inside `Around`, and returns the hook's result. */
export function renderHook<Result>(
  queryClient: QueryClient,
  useHook: () => Result,
  Around: FunctionComponent<PropsWithChildren> = Fragment as unknown as FunctionComponent<PropsWithChildren>,
): Result {
  const results: Result[] = [];
  const Page = () => {
    results.push(useHook());
    return null;
  };
  const page = createElement(Around, null, createElement(Page));
  renderToStaticMarkup(createElement(QueryClientProvider, { client: queryClient }, page));
  return results[0] as Result;
}
