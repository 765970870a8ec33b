import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { retryCases } from '../client-package/testing/retry-cases.ts';
import { providers } from '../server/auth/providers.ts';
import { turnEnds } from '../server/chat/turn-end.ts';
import { loadConfig } from '../server/config/config.ts';
import { secretNames, settings, variablesOf } from '../server/config/environment.ts';
import { offlinePhrases } from '../server/embedded/offline-model.ts';
import { banner } from '../server/startup/configured-parts.ts';
import { browserList } from '../shared/browsers.ts';
import { errorCodes, errors, formatAppendedError } from '../shared/errors.ts';
import { promptVersion, routes } from '../shared/interface.ts';
import { codeByStatus, maxAttempts, maxRetryAfterSeconds, maxUnattendedWaitSeconds } from '../shared/retry.ts';
import { providerLabels, providerNames, signInProblems } from '../shared/session.ts';
import {
  type DocumentedError,
  errorGuide,
  exampleError,
  refusals,
  retryPolicyOf,
  turnEndGuide,
} from './documented-errors.ts';
import { limitOf, operations, renderOpenapi, retryPolicy } from './openapi.ts';

/*
 * npm run docs: generates the parts of the documents that follow from the sources. openapi.yaml and retry-table.json
 * are generated completely. In other files, only the blocks between marks such as <!-- docs:codes --> and <!-- /docs --> are.
 */

const code = (text: string) => `\`${text}\``;
const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
const table = (heading: string[], rows: (string | number)[][]) =>
  [row(...heading), `|${'---|'.repeat(heading.length)}`, ...rows.map((cells) => row(...cells))].join('\n');

const signedIn = operations.find(({ path }) => path === routes.session)?.success[200]?.examples?.['signed-in'];

/** The blocks by name, without a trailing line end. */
const blocks: Record<string, () => string> = {
  codes: () =>
    table(
      ['HTTP', 'Body', 'Where', 'When', 'What to do'],
      errorCodes.map((name) => {
        const { status, demo } = errors[name];
        return [
          status,
          code(exampleError(name)),
          demo ? 'both' : 'live',
          errorGuide[name].when,
          errorGuide[name].advice,
        ];
      }),
    ),
  refusals: () =>
    table(
      ['HTTP', 'Body', 'When', 'What to do'],
      Object.values(refusals).map(({ status, sentence, when, advice }) => [status, code(sentence), when, advice]),
    ),
  'turn-ends': () =>
    table(
      ['What ends the turn', 'Before the first text', 'After it', 'Stored on live chat'],
      turnEndRows().map(({ when, before, after, stored }) => [when, before, after, stored]),
    ),
  'logged-turn-ends': () =>
    table(
      ['What ended the turn', '`ending`', '`code`', 'Before the first text', 'After it', 'Stored on live chat'],
      turnEndRows().map(({ when, ending, code, before, after, stored }) => [when, ending, code, before, after, stored]),
    ),
  commands: () =>
    [
      '```bash',
      ...errorCodes.flatMap((name) => commandLines(name, errorGuide[name])),
      ...Object.values<DocumentedError>(refusals).flatMap((refusal) => commandLines(String(refusal.status), refusal)),
      '```',
    ].join('\n'),
  retries: () =>
    table(
      ['Code', 'Attempts in all', 'Waits in seconds', 'Policy'],
      [...Map.groupBy(errorCodes, retryPolicyOf)].map(([policy, names]) => {
        const [first = 'INTERNAL'] = names;
        const { attempts, delaysSeconds } = errors[first].retry;
        const waits = delaysSeconds === 'retry-after' ? code('Retry-After') : delaysSeconds.join(', ');
        return [names.map(code).join(', '), attempts, waits || '–', policy];
      }),
    ),
  limits: () =>
    table(
      ['Route', 'Counted by', 'Requests', 'In any', '`max_tokens`'],
      operations.flatMap((operation) => {
        const limit = limitOf(operation);
        if (limit === undefined || operation.tag === 'Service') return [];
        const { method, path } = operation;
        const { countedBy, requests, windowSeconds } = limit;
        const { maxTokens = '–' } = operation.model ?? {};
        return [[code(`${method} ${path}`), countedBy, requests, `${windowSeconds} seconds`, maxTokens]];
      }),
    ),
  headers: () =>
    table(
      ['Header', 'Value', 'Where'],
      [
        ['`Content-Type`', '`text/plain; charset=utf-8`', 'both'],
        ['`Cache-Control`', '`no-cache, no-transform`', 'both'],
        ['`X-Accel-Buffering`', '`no`', 'both'],
        ['`X-Request-Id`', 'the value that you sent, or a ULID', 'both'],
        ['`X-Conversation-Id`', "the conversation's id", 'live'],
        ['`X-Prompt-Version`', `${code(promptVersion)}, the version of the system prompt's schema`, 'live'],
      ],
    ),
  phrases: () =>
    table(
      ['Phrase', 'The stand-in', 'What live chat sends to a client that follows the table'],
      offlinePhrases.map(({ phrase, effect, display }) => [code(phrase), effect, display]),
    ),
  'sign-in-problems': () =>
    table(
      ['`problem`', 'Sentence on our page'],
      Object.entries(signInProblems).map(([problem, sentence]) => [code(problem), sentence]),
    ),
  providers: () =>
    table(
      ['Provider', 'Where', 'Callback address to enter', 'Variables'],
      providerNames.map((name) => {
        const { clientId, clientSecret } = variablesOf(name);
        const callback = code(`{PUBLIC_URL}${routes.signIn}/${name}/callback`);
        return [
          providerLabels[name],
          providers[name].registration,
          callback,
          `${code(clientId)}, ${code(clientSecret)}`,
        ];
      }),
    ),
  proofs: () =>
    table(
      ['Provider', 'An address counts as verified if'],
      providerNames.map((name) => [providerLabels[name], providers[name].emailVerification]),
    ),
  browsers: () => browserList,
  banner: () => ['```', banner(loadConfig({}), 'http://localhost:3000').trimEnd().slice(1), '```'].join('\n'),
  session: () => ['```json', JSON.stringify(signedIn?.value, null, 2), '```'].join('\n'),
  variables: () =>
    table(
      ['Variable', 'Meaning', 'Without it'],
      settings.map(({ name, description, ifUnset, default: value }) => [
        code(name),
        description,
        ifUnset ?? (value === undefined ? '–' : code(String(value))),
      ]),
    ),
  'env-fill': () => environmentLines('fill'),
  'env-optional': () => environmentLines(undefined),
  'env-compose': () => environmentLines('compose'),
  'env-development': () => environmentLines('development'),
  secrets: () => secretNames.map(code).join(', '),
  'python-retries': () =>
    [
      '# The retry table: the number of attempts, and the waits in seconds after the first, second … failure with this code.',
      '# None stands for the seconds of `Retry-After`.',
      'RULES = {',
      ...errorCodes.map((name) => {
        const { attempts, delaysSeconds } = errors[name].retry;
        const waits =
          delaysSeconds === 'retry-after'
            ? 'None'
            : `(${[...delaysSeconds].join(', ')}${delaysSeconds.length === 1 ? ',' : ''})`;
        return `    "${name}": (${attempts}, ${waits}),`;
      }),
      '}',
      `MOST_ATTEMPTS = ${maxAttempts}  # of a turn, with any mixture of failures`,
      `LONGEST_WAIT_SECONDS = ${maxUnattendedWaitSeconds}  # With a longer \`Retry-After\` the user decides.`,
      `LONGEST_RETRY_AFTER_SECONDS = ${maxRetryAfterSeconds}  # A longer one counts as missing.`,
      '',
      '# A body without a code of the table comes from a proxy. These statuses have the same meaning from any sender.',
      `CODES = {${[...codeByStatus].map(([status, name]) => `${status}: "${name}"`).join(', ')}}`,
      '',
      '# Ends a reply that failed after its first text, and is not part of its text.',
      `ERROR_LINE = ${JSON.stringify(formatAppendedError('UPSTREAM_ERROR'))}`,
    ].join('\n'),
};

function turnEndRows() {
  return Object.entries(turnEndGuide).map(([reason, { when, withoutError }]) => {
    const { beforeText, afterText, storesEmpty, ending } = turnEnds[reason as keyof typeof turnEnds];
    const sentCode = beforeText === 'fromProvider' ? 'UPSTREAM_…' : beforeText;
    const status = beforeText === null || beforeText === 'fromProvider' ? 'the status of' : errors[beforeText].status;
    return {
      when,
      before: withoutError?.before ?? `${status} ${code(`${sentCode}`)}`,
      after: withoutError?.after ?? `the error line ${code(`[${afterText}: …]`)}`,
      stored: storesEmpty ? 'the reply, even if it is empty' : 'the text so far, if any',
      ending: code(ending),
      code: sentCode === null ? '–' : code(sentCode),
    };
  });
}

/** Formats a command with a comment that names the response. */
function commandLines(response: string, { command, note }: { command?: string; note?: string }): string[] {
  return command === undefined ? [] : [`# ${response}${note === undefined ? '' : `, ${note}`}`, command];
}

/** Consecutive variables with the same description share a comment. */
function environmentLines(env: (typeof settings)[number]['envSection']): string {
  let previous = '';
  const lines = settings
    .filter((setting) => setting.envSection === env)
    .flatMap(({ name, description, ifUnset, example, default: value }) => {
      const missing = ifUnset === undefined || env === 'fill' ? '' : ` Without it: ${ifUnset}.`;
      const text = `${description.charAt(0).toUpperCase()}${description.slice(1)}.${missing}`;
      // .env.example is not Markdown.
      const sentence = wrapped(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''));
      const comment = sentence === previous ? [] : [sentence];
      previous = sentence;
      return [...comment, env === 'fill' ? `${name}=` : `# ${name}=${example ?? value ?? ''}`];
    });
  return lines.join('\n');
}

function wrapped(text: string): string {
  return text.replace(/(.{1,116})(?: |$)/g, (_, line) => `# ${line}\n`).trimEnd();
}

function replaceBlocks(text: string): string {
  return text.replace(
    /((<!--|#) docs:([a-z-]+)(?: -->)?)[\s\S]*?((?:<!--|#) \/docs)/g,
    (_, begin: string, mark: string, name: string, end: string) => {
      const block = blocks[name];
      if (block === undefined) throw new Error(`Unknown block "${name}".`);
      const text = block();
      if (!text.includes('\n')) return `${begin}${text}${end}`;
      // Markdown needs blank lines around a table.
      const separator = mark === '#' ? '\n' : '\n\n';
      return `${begin}${separator}${text}${separator}${end}`;
    },
  );
}

function retryTable(): string {
  const text = JSON.stringify({ written: 'by npm run docs', ...retryPolicy, cases: retryCases }, null, 2);
  // Prints each list of plain values on a single line.
  return `${text.replace(/\[([^[\]{}]*)\]/g, (_, items: string) => `[${items.trim().replace(/\s+/g, ' ')}]`)}\n`;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

const filesWithBlocks = [
  'README.md',
  'docs/operations.md',
  'docs/interface.md',
  'docs/runbook.md',
  'docs/configuration.md',
  'docs/examples/terminal-client.py',
  '.env.example',
];

export function generatedDocuments(): Map<string, string> {
  return new Map([
    ['docs/openapi.yaml', renderOpenapi()],
    ['docs/retry-table.json', retryTable()],
    ...filesWithBlocks.map((path): [string, string] => [path, replaceBlocks(read(path))]),
  ]);
}

if (import.meta.main) for (const [path, text] of generatedDocuments()) writeFileSync(`${root}${path}`, text);
