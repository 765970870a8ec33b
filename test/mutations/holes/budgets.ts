import type { Hole } from '../hole.ts';

const migration = 'server/database/migrations/2026-11-22-budgets.ts';

const live = (title: string) => ({
  file: 'test/server/chat/budgets.test.ts',
  title: `The budget of tokens of live chat ${title}`,
});
const demo = (title: string) => ({
  file: 'test/server/chat/demo-budget.test.ts',
  title: `Demo chat's budget of tokens ${title}`,
});
const atOnce = (whose: string) => ({
  file: 'test/server/database/turn-budgets.services.test.ts',
  title: `turns.openWithinBudgets, on a PostgreSQL server judges two turns of ${whose} that come at once one after the other`,
});

const countsEveryToken = live(
  'counts every token that the provider reports, cached ones too, and admits a turn while the sum is below it',
);
const sharedBudget = live('of an organization is shared by its people, and leaves other organizations theirs');
const longerWait = live('with the longer wait is the one that a refusal names');

export const budgets: readonly Hole[] = [
  {
    name: "Tokens of the provider's cache are not counted",
    file: 'server/chat/used-tokens.ts',
    find: 'inputTokens + cacheReadTokens + cacheCreateTokens;',
    replace: 'inputTokens;',
    test: countsEveryToken,
  },
  {
    name: 'A turn with an answer keeps its reservation',
    file: 'server/chat/live-route.ts',
    find: 'turns.close(answer, settlement)',
    replace: 'turns.close(answer)',
    test: countsEveryToken,
  },
  {
    name: 'A budget admits one more turn when it is used up exactly',
    file: migration,
    find: 'where used >=',
    replace: 'where used >',
    test: live('is used up at exactly its number'),
  },
  {
    name: 'The question is stored before the budget is judged',
    file: migration,
    find: '        delete from token_uses\n          where user_id = person',
    replace:
      '        insert into conversations (id, org_id, user_id) values (reservation, organization, person);\n        delete from token_uses\n          where user_id = person',
    test: live('leaves no row, no conversation and no call of the provider where it refuses'),
  },
  {
    name: 'A turn counts for an hour longer than a day',
    file: migration,
    find: "used_at > moment - interval '24 hours'",
    replace: "used_at > moment - interval '25 hours'",
    test: sharedBudget,
  },
  {
    name: 'Retry-After is an hour short',
    file: migration,
    find: "select used_at + interval '24 hours'",
    replace: "select used_at + interval '23 hours'",
    test: live('admits again once so many of the oldest uses are a day old that the rest is below it, and not before'),
  },
  {
    name: 'A refusal names the shorter wait',
    file: migration,
    find: 'greatest(person_until, organization_until)',
    replace: 'least(person_until, organization_until)',
    test: longerWait,
  },
  {
    name: 'A refusal names the budget with the shorter wait',
    file: migration,
    find: 'organization_until > person_until',
    replace: 'organization_until < person_until',
    test: longerWait,
  },
  {
    name: "A person's budget is their organization's",
    file: migration,
    find: "usedUpUntil('user_id = person and org_id = organization',",
    replace: "usedUpUntil('org_id = organization',",
    test: live("is each person's own"),
  },
  {
    name: 'A turn in progress does not count',
    file: 'server/chat/live-route.ts',
    find: 'reserved.promptTokens + maxTokens',
    replace: '0',
    test: live('counts a turn in progress as the estimate of its prompt and max_tokens'),
  },
  {
    name: 'A turn that failed counts what it had reserved',
    file: 'server/chat/live-route.ts',
    find: 'else if (settlement !== undefined)',
    replace: 'else if (false)',
    test: live('counts nothing of a turn that failed before the provider had reported anything'),
  },
  {
    name: 'Of a reply that was cut, the text counts nothing',
    file: 'server/chat/used-tokens.ts',
    find: 'Math.max(outputTokens, estimateTokens(text.length))',
    replace: 'outputTokens',
    test: live('counts the input of a reply that its reader left, and estimates the output by the text that came'),
  },
  {
    name: 'Who leaves soon enough uses nothing up',
    file: 'server/chat/used-tokens.ts',
    find: "ending === 'aborted' && asked && !hasReport",
    replace: 'false',
    test: live("counts the prompt's estimate where the reader left before the provider had reported anything"),
  },
  {
    name: 'Uses are kept where no budget is set',
    file: 'server/chat/live-route.ts',
    find: 'budgets.user !== undefined || budgets.organization !== undefined',
    replace: 'true',
    test: live('is not counted where none is set'),
  },
  {
    name: "Two turns of a person's budget are judged at once",
    file: migration,
    find: 'perform pg_advisory_xact_lock(522, hashtext(person));',
    replace: 'null;',
    test: atOnce('a person'),
  },
  {
    name: "Two turns of an organization's budget are judged at once",
    file: migration,
    find: 'perform pg_advisory_xact_lock(521, hashtext(organization));',
    replace: 'null;',
    test: atOnce('an organization'),
  },
  {
    name: 'An organization sees what another one has used',
    file: migration,
    find: "using (org_id = current_setting('advisory_chat.org_id'))",
    replace: 'using (true)',
    test: {
      file: 'test/server/database/row-level-security.test.ts',
      title: 'row-level security shows one organization through what the filter does not cover raw SQL',
    },
  },
  {
    name: 'The owner of token_uses is above its policy',
    file: migration,
    find: "    this.addSql('alter table token_uses force row level security');\n",
    replace: '',
    test: {
      file: 'test/server/database/schema.test.ts',
      title: 'the migrated schema is what the entities say, policies included, but for what only the migrations have',
    },
  },
  {
    name: "The functions of budgets look where their caller's search path leads",
    file: 'server/database/migrations/pin-function.ts',
    find: "set search_path = %I, pg_temp', current_schema());",
    replace: "set search_path from current');",
    test: {
      file: 'test/server/database/schema.test.ts',
      title: "the migrated schema has functions of budgets that do not follow their caller's search path",
    },
  },
  {
    name: 'What is left of a budget is told for two days',
    file: 'server/database/administration.ts',
    find: "used_at > now() - interval '24 hours'",
    replace: "used_at > now() - interval '48 hours'",
    test: {
      file: 'test/server/admin/commands.test.ts',
      title: 'list-users, list-organizations, where there are budgets say what is left of the day, down to nothing',
    },
  },
  {
    name: 'Demo chat goes on when its budget is used up',
    file: 'server/chat/demo-route.ts',
    find: "if ('retryAfterSeconds' in reserved) throw",
    replace: "if ('retryAfterSeconds' in reserved) return void",
    test: demo('is one for all visitors, and is refused in words of its own without asking the provider'),
  },
  {
    name: 'A turn of demo chat in progress does not count',
    file: 'server/chat/demo-route.ts',
    find: 'reserve(promptTokens + maxTokens)',
    replace: 'reserve(0)',
    test: demo('counts turns in progress by their estimates, so that turns at once use at most one more than is left'),
  },
  {
    name: 'The window in the process is fixed',
    file: 'server/limits/memory-token-window.ts',
    find: '      if (use.usedAt > now - windowMilliseconds) return;\n',
    replace:
      '      if ((uses.values().next().value?.usedAt ?? 0) > now - windowMilliseconds) return;\n      uses.clear();\n      sum = 0;\n',
    test: {
      file: 'test/server/limits/memory-token-window.test.ts',
      title:
        'createMemoryTokenWindow admits while the sum of the trailing window is below the budget, and says exactly how long it is not',
    },
  },
  {
    name: 'The uses in the process grow without end',
    file: 'server/limits/memory-token-window.ts',
    find: 'if (uses.size > most) mergeOldest();',
    replace: '',
    test: {
      file: 'test/server/limits/memory-token-window.test.ts',
      title: 'createMemoryTokenWindow keeps no more uses than it has room for: the oldest count as long as the next',
    },
  },
  {
    name: 'What Redis has of a turn is never settled',
    file: 'server/limits/redis-token-window.ts',
    find: 'if reserved then',
    replace: 'if false then',
    test: {
      file: 'test/server/limits/redis-token-window.test.ts',
      title:
        'createRedisTokenWindow admits over two instances while the sum of the trailing window is below the budget, and says how long it is not',
    },
  },
  {
    name: 'A sum on Redis whose uses were evicted counts for ever',
    file: 'server/limits/redis-token-window.ts',
    find: "if uses ~= math.max(redis.call('HLEN', tokens) - 1, 0) then",
    replace: 'if false then',
    test: {
      file: 'test/server/limits/redis-token-window.test.ts',
      title: 'createRedisTokenWindow begins anew where Redis has evicted the times',
    },
  },
  {
    name: 'Demo chat has no budget while Redis is away',
    file: 'server/limits/shared-token-window.ts',
    find: 'const admission = await here.reserve(id, tokens);',
    replace: 'const admission = { admitted: true } as const;',
    test: {
      file: 'test/server/limits/token-budget.services.test.ts',
      title:
        'createTokenBudget, while Redis is away counts by itself, with the whole budget, and counts all of it together once Redis is back',
    },
  },
  {
    name: 'The process leaves out the budget of demo chat',
    file: 'server/start.ts',
    find: 'const demoTokens = config.tokensPerDay.demo;',
    replace: 'const demoTokens: number | undefined = undefined;',
    test: {
      file: 'test/server/main.process.test.ts',
      title: 'the process refuses turns by the budgets that its environment names',
    },
  },
  {
    name: 'A refusal by a budget is not counted',
    file: 'server/chat/budget-refusal.ts',
    find: '  addToRequestLog(response, { budget: whose });\n',
    replace: '',
    test: {
      file: 'test/server/metrics/metrics.test.ts',
      title: 'GET /metrics counts refusals by the budget that was used up, from nothing',
    },
  },
  {
    name: 'The page says that there were too many requests where a budget is used up',
    file: 'client/chat/outcome.ts',
    find: ', ...Object.values(budgetSentences)]',
    replace: ']',
    test: {
      file: 'test/client/chat/ask.test.ts',
      title:
        'ask says "Your daily budget of tokens is used up." where that is what the service said, and leaves the wait to the countdown',
    },
  },
  {
    name: 'A turn is counted for which the provider was never asked',
    file: 'server/chat/used-tokens.ts',
    find: "ending === 'aborted' && asked && !hasReport",
    replace: "ending === 'aborted' && !hasReport",
    test: {
      file: 'test/server/chat/budgets.test.ts',
      title:
        'The budget of tokens of live chat counts nothing of a turn that was over before the provider could be asked',
    },
  },
];
