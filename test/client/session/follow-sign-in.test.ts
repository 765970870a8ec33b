import { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { TabChannel } from '../../../client/device/tab-channel.ts';
import { followSignIn } from '../../../client/session/query-client.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import { createFakeTabs } from '../device/fake-tabs.ts';

describe('who is signed in, in several tabs', () => {
  let open: () => TabChannel;

  beforeEach(() => {
    open = createFakeTabs();
  });

  /** A tab that shows the person `id`, or nobody. */
  function tab(id?: string) {
    const queryClient = new QueryClient();
    followSignIn(queryClient, open());
    const read = (id?: string) =>
      queryClient.setQueryData(sessionQuery.queryKey, { user: id === undefined ? null : userOf(id), providers: [] });
    if (id !== undefined) read(id);
    return { read, isOutdated: () => queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated ?? false };
  }

  it('is read no second time where a tab shows the same person, or nobody', () => {
    const [averys, nobodys, others] = [tab('avery'), tab(), tab()];
    nobodys.read();
    others.read('avery');
    others.read();
    expect([averys.isOutdated(), nobodys.isOutdated()]).to.deep.equal([false, false]);
  });
});

function userOf(id: string) {
  return {
    id,
    name: null,
    email: null,
    onboarded: true,
    organization: { id: 'organization', name: 'Example Castings' },
  };
}
