import type { Hole } from '../hole.ts';

const errorTest = (title: string) => ({
  file: 'test/server/http/process/loggable-error.test.ts',
  title: `an error in the log ${title}`,
});
const quietTest = (title: string) => ({
  file: 'test/server/http/process/quiet-log.test.ts',
  title: `the log ${title}`,
});
const idsTest = (title: string) => ({
  file: 'test/server/http/process/log-ids.test.ts',
  title: `the ids in a log line ${title}`,
});
const printedTest = (title: string) => ({
  file: 'test/server/start-refusal.process.test.ts',
  title: `what a program prints when it cannot open a part ${title}`,
});
const ofProvider = (what: string) =>
  quietTest(`keeps of a provider's error its kind and its request id, and none of its words: ${what}`);

export const logs: readonly Hole[] = [
  {
    name: 'The message of any error is logged',
    file: 'server/http/process/loggable-error.ts',
    find: '...(isHarmless(thrown) && { message',
    replace: '...({ message',
    test: ofProvider('a refusal'),
  },
  {
    name: 'A plain error is taken for ours, wherever it was made',
    file: 'server/http/process/loggable-error.ts',
    find: ' && isMadeHere(error)',
    replace: '',
    test: errorTest('quotes nobody: a plain error of a library'),
  },
  {
    name: "What V8 says in our sources is taken for ours: a mistake's words quote",
    file: 'server/http/process/loggable-error.ts',
    find: 'Object.getPrototypeOf(error) === Error.prototype && ',
    replace: '',
    test: errorTest('keeps the sentence of a plain error that was made in the sources, and not what V8 says there'),
  },
  {
    name: 'The whole stack is logged, with the message above it',
    file: 'server/http/process/loggable-error.ts',
    find: 'stack: places.map(',
    replace: 'stack: thrown.stack ?? places.map(',
    test: ofProvider('a refusal'),
  },
  {
    name: 'Lines of a message that look like frames are taken for frames',
    file: 'server/http/process/stack-frames.ts',
    find: 'const lines = linesBelow(message, stack);',
    replace: "const lines = stack.split('\\n').filter((line) => frame.test(line));",
    test: errorTest('makes no frame of what a message says'),
  },
  {
    name: "The names of a stack's functions are logged",
    file: 'server/http/process/stack-frames.ts',
    find: 'return place.test(found) ? found : undefined;',
    replace: 'return place.test(found) ? line.trim().split(" ")[1] + found : undefined;',
    test: errorTest('says where a foreign error was made'),
  },
  {
    name: "The provider's type is logged, whatever it is",
    file: 'server/http/process/loggable-error.ts',
    find: "providerType: ['type', /^[a-z]{1,20}(?:_[a-z]{1,20}){0,4}$/]",
    replace: "providerType: ['type', /^.*$/]",
    test: ofProvider('a refusal of an unheard-of type'),
  },
  {
    name: 'The code of any error is logged, whatever it is',
    file: 'server/http/process/loggable-error.ts',
    find: '/^(?:ERR|UND_ERR|HPE|E[A-Z]{1,16})(?:_[A-Z0-9]{1,20}){0,6}$/',
    replace: '/^.*$/',
    test: errorTest('quotes nobody: an error with a code of its own'),
  },
  {
    name: "A database's constraint is not logged",
    file: 'server/http/process/loggable-error.ts',
    find: "constraint: ['constraint', word],",
    replace: '',
    test: quietTest('keeps of a refused row the constraint and the SQLSTATE, and nothing of the row'),
  },
  {
    name: "A database's detail is logged as its routine",
    file: 'server/http/process/loggable-error.ts',
    find: "routine: ['routine', word],",
    replace: "routine: ['detail', /^.*$/],",
    test: errorTest("keeps the database's SQLSTATE, constraint and table, of the driver's error and of the ORM's"),
  },
  {
    name: "All of Redis's reply is logged as its code",
    file: 'server/http/process/loggable-error.ts',
    find: '(?= )/,',
    replace: ' .*/,',
    test: quietTest('has neither the password nor a key of Redis where it refuses a login'),
  },
  {
    name: 'The keys that a schema did not expect are logged as they were sent',
    file: 'server/http/process/loggable-error.ts',
    find: "matches(name, key) ? String(name) : '?'",
    replace: "name !== undefined ? String(name) : '?'",
    test: errorTest('quotes nobody: a schema with keys that were sent'),
  },
  {
    name: 'Causes are logged without end',
    file: 'server/http/process/loggable-error.ts',
    find: ' || seen.size >= mostErrors',
    replace: '',
    test: errorTest('is bounded, however much there is of it'),
  },
  {
    name: 'A message of ours is logged whole, however long',
    file: 'server/http/process/loggable-error.ts',
    find: 'thrown.message.slice(0, longestMessage)',
    replace: 'thrown.message',
    test: errorTest('is bounded, however much there is of it'),
  },
  {
    name: 'An error that cannot be read breaks the log',
    file: 'server/http/process/loggable-error.ts',
    find: 'return describe(thrown);\n    } catch {',
    replace: 'return describe(thrown);\n    } catch (cause) {\n      if (cause) throw cause;',
    test: errorTest('quotes nobody: a property that throws'),
  },
  {
    name: "A line without a sentence gets its error's message for one",
    file: 'server/http/process/logger.ts',
    find: "missing ? 'an error' : sentence",
    replace: 'missing ? undefined : sentence',
    test: errorTest('quotes nobody: an error of a library'),
  },
  {
    name: 'What the provider states as its model is logged, whatever it is',
    file: 'server/chat/exchange.ts',
    find: 'model: nameOrNull(model),',
    replace: 'model,',
    test: quietTest(
      'has no sentence in place of the model, the reason for stopping or a request id that the provider states',
    ),
  },
  {
    name: 'The ORM logs its statements',
    file: 'server/database/orm.ts',
    find: 'debug: false,',
    replace: 'debug: true,',
    test: quietTest('keeps as little of a row that the ORM writes'),
  },
  {
    name: 'Whatever a callback names as its error is logged',
    file: 'server/auth/failure.ts',
    find: 'const code = inForm(/^(?:[a-z]{1,20}(?:_[a-z]{1,20}){0,4}|(?:ERR|E[A-Z]{2,16})(?:_[A-Z0-9]{1,20}){0,6})$/);',
    replace: 'const code = inForm(/^\\w{1,64}$/);',
    test: quietTest('has of a failed sign-in its kind, and nothing that came with it'),
  },
  {
    name: 'A request id that was sent is logged whole',
    file: 'server/http/requests/request-id.ts',
    find: 'boundedText(requestId, 128)',
    replace: 'boundedText(requestId, Infinity)',
    test: idsTest('are cut to 128 characters where they were sent, which the answer is not'),
  },
  {
    name: 'The id of our own is the one that was sent',
    file: 'server/http/requests/request-id.ts',
    find: 'ownId: ownIds.get(response) ??',
    replace: 'ownId: requestIdOf(response) ??',
    test: idsTest('are what was sent and a ULID of ours, another for each request'),
  },
  {
    name: 'What the parser refuses is logged with the id as it was sent',
    file: 'server/http/process/parser-errors.ts',
    find: '...boundedIds(ids)',
    replace: '...ids',
    test: idsTest('are both on the line of a request whose body cannot be parsed, and of what is no request at all'),
  },
  {
    name: 'A late write is logged with the id as it was sent',
    file: 'server/chat/live-route.ts',
    find: 'await lateWrites.write({ ...late, job: () => turns.close(answer, settlement) });',
    replace: `const asSent = { ...late, ids: { requestId: requestIdOf(response), ownId: '' } };
        await lateWrites.write({ ...asSent, job: () => turns.close(answer, settlement) });`,
    test: idsTest('are both on the line of a write that the database refuses'),
  },
  {
    name: 'A failed sign-in is logged with the id as it was sent',
    file: 'server/auth/routes.ts',
    find: '{ ...logIds(response), provider: name, ...outcome }',
    replace: "{ requestId: String(response.getHeader('X-Request-Id')), provider: name, ...outcome }",
    test: idsTest('are both on the line of a failed sign-in, as on that of its request'),
  },
  {
    name: "A browser's report is logged with the id as it was sent",
    file: 'server/http/requests/violation-route.ts',
    find: '{ ...logIds(response), ...violation }',
    replace: "{ requestId: String(response.getHeader('X-Request-Id')), ...violation }",
    test: idsTest("are both on the line of a browser's report"),
  },
  {
    name: 'Controls of a terminal are logged',
    file: 'server/http/requests/bounded-text.ts',
    find: ".replace(/[\\u007f-\\u009f]/g, '\\ufffd')",
    replace: '',
    test: idsTest('break no line and no terminal, and neither does the path, which is cut to 256 characters'),
  },
  {
    name: 'A path is logged whole',
    file: 'server/http/requests/request-log.ts',
    find: 'boundedText(request.path, 256)',
    replace: 'request.path',
    test: idsTest('break no line and no terminal, and neither does the path, which is cut to 256 characters'),
  },
  {
    name: 'A refused start prints a secret that a part quotes',
    file: 'server/config/secrets.ts',
    find: "rest.replaceAll(secret, '…')",
    replace: 'rest || secret',
    test: printedTest("has the database's reason without the password, on one line"),
  },
  {
    name: 'The doctor prints a secret that a part quotes',
    file: 'server/doctor/main.ts',
    find: '(line) => withoutSecrets(line, config)',
    replace: '(line) => line || withoutSecrets(line, config)',
    test: printedTest('has neither the password nor the key that a part quotes to the doctor'),
  },
  {
    name: "A refused start prints the row that a database's error quotes below its first line",
    file: 'server/config/secrets.ts',
    find: "fromDatabase ? (words.split('\\n')[0] ?? '') : words",
    replace: 'fromDatabase ? words : words',
    test: printedTest("has the database's reason without the password, on one line"),
  },
];
