import type { Hole } from '../hole.ts';

const migration = 'server/database/migrations/2026-11-24-repeated-turns.ts';
const opening = 'server/chat/turn-opening.ts';

const again = (title: string) => ({
  file: 'test/server/chat/repeated-turns.test.ts',
  title: `a turn that is sent again with its request id ${title}`,
});

export const repeatedTurns: readonly Hole[] = [
  {
    name: 'A repeated turn that names no conversation begins another',
    file: migration,
    find: "created_at > now() - interval '10 minutes'",
    replace: 'conversation is not null',
    test: again('goes on in its conversation without naming it, and stores the question once'),
  },
  {
    name: 'A turn is repeated at any time',
    file: migration,
    find: "created_at > now() - interval '10 minutes'",
    replace: "created_at > now() - interval '1 day'",
    test: again('after ten minutes is a turn of its own'),
  },
  {
    name: "Somebody else's turn is repeated",
    file: migration,
    find: "where user_id = person and org_id = organization and role = 'USER'\n              and created_at",
    replace: "where org_id = organization and role = 'USER'\n              and created_at",
    test: again('of a colleague is a turn of its own'),
  },
  {
    name: 'Two requests with one id and no conversation do not see each other',
    file: migration,
    find: "perform pg_advisory_xact_lock(524, hashtext(person || ' ' || request));",
    replace: 'null;',
    test: {
      file: 'test/server/database/turns-open.services.test.ts',
      title:
        'turns.open, on a PostgreSQL server makes one conversation where two with one request id meet that name none',
    },
  },
  {
    name: 'A superseded attempt stores its answer',
    file: migration,
    find: 'and attempt <> turn_attempt',
    replace: 'and false',
    test: again('stores nothing of an attempt that ends after it was superseded'),
  },
  {
    name: 'A repeated turn takes nothing over',
    file: opening,
    find: 'return left.aborted || outlast(response, () => turns.takeOver(scope, attempt));',
    replace: 'return left.aborted || attempt !== undefined;',
    test: again('ends the first attempt, which another instance has under way, and stores its own answer alone'),
  },
  {
    name: 'A repeated turn does not end the first attempt at the same instance at once',
    file: 'server/chat/live-route.ts',
    find: 'if (opened.repeated) void attemptWatch.look();',
    replace: '',
    test: again('ends the first attempt at the same instance at once, whenever that looks next'),
  },
  {
    name: 'Part of an answer stands beside the whole one',
    file: migration,
    find: 'perform drop_cut_answer(organization, conversation, asked, request);',
    replace: 'null;',
    test: again('replaces what was stored of an answer that was cut short'),
  },
  {
    name: 'A whole answer is replaced too',
    file: migration,
    find: "and answer.role = 'ASSISTANT' and answer.request_id = request and answer.stop_reason is null;",
    replace: "and answer.role = 'ASSISTANT' and answer.request_id = request;",
    test: {
      file: 'test/server/database/turns-repeat.test.ts',
      title: 'drop_cut_answer deletes part of an answer, and nothing else',
    },
  },
];
