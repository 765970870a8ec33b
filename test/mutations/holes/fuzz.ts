import type { Hole } from '../hole.ts';

/** What the fuzzer no longer looks for, by its rule, and the test of the fuzzer that notices. */
const blind = [
  ['answers', 'answered', 'the fuzzer misses the end of a request'],
  ['request ids', 'requestIds', 'the fuzzer finds two request ids'],
  ['failures', 'failures', 'the fuzzer finds a failure without a reason'],
  ['the form of a refusal', 'refusals', 'the fuzzer finds a refusal that is no sentence'],
  ['redirects', 'redirects', 'the fuzzer finds a redirect to another site'],
  ['secrets in answers', 'secretsInAnswers', 'the fuzzer finds a secret in an answer'],
  ['secrets in the log', 'secretsInLogs', 'the fuzzer finds in a log line what was typed'],
  ['errors that nobody caught', 'nothingUncaught', 'the fuzzer finds an error that nobody caught in the log'],
  ['what happens to others', 'othersUnharmed', 'the fuzzer finds rows of others changed'],
] as const;

export const fuzz: readonly Hole[] = [
  {
    name: 'Bytes that are no HTTP are answered in the middle of a reply',
    file: 'server/http/process/http-server.ts',
    find: 'if (midResponse) return void socket.destroy();',
    replace: '',
    test: {
      file: 'test/server/http/process/http-server.test.ts',
      title: 'the HTTP server cuts a connection that turns to garbage in mid-reply, and writes nothing into the reply',
    },
  },
  {
    name: 'Answers that wait behind another are never over once a CONNECT has come',
    file: 'server/http/process/http-server.ts',
    find: 'closeWithConnection(request, response);',
    replace: '',
    test: {
      file: 'test/server/http/process/http-server.test.ts',
      title:
        'the HTTP server ends every answer of a connection with it, also those that wait behind another when CONNECT comes',
    },
  },
  {
    name: 'A pipelined request with Expect has "100 Continue" in the body of its answer',
    file: 'server/http/process/http-server.ts',
    find: 'if (response.socket !== null) response.writeContinue();',
    replace: 'response.writeContinue();',
    test: {
      file: 'test/server/http/process/http-server.test.ts',
      title: 'the HTTP server asks for a body with 100 Continue, and never in the middle of an answer',
    },
  },
  {
    name: 'The way back from a sign-in may lead to another site',
    file: 'server/auth/return-path.ts',
    find: String.raw`if (typeof asked !== 'string' || !/^\/(?![/\\])\P{Cc}*$/u.test(asked)) return pages.chat;`,
    replace: "if (typeof asked !== 'string') return pages.chat;\n  if (asked !== '') return asked;",
    test: { file: 'test/server/auth/return-path.test.ts', title: 'returnPath never leads off the site' },
  },
  {
    name: 'The fuzzer takes any cost for usual',
    file: 'test/fuzz/cost/cost-classes.ts',
    find: 'Math.floor(sorted.length / 2)',
    replace: 'sorted.length - 1',
    test: {
      file: 'test/fuzz/cost/cost-classes.test.ts',
      title: 'the cost that a request may have is twenty times the median of its size, however large the largest is',
    },
  },
  ...blind.map(([what, rule, title]) => ({
    name: `The fuzzer is blind to ${what}`,
    file: 'test/fuzz/oracle/oracle.ts',
    find: `\n  ${rule},\n`,
    replace: '\n',
    test: { file: 'test/fuzz/oracle/oracle.test.ts', title },
  })),
];
