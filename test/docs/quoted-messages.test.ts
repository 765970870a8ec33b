import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parseSync } from 'vite';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

/** What an operator reads beside the log. */
const documents = globSync('docs/{operations,runbook,database}.md', { cwd: root });

const block = /```bash\n([\s\S]*?)```/g;

/** The commands that the documents show in blocks. */
const commands = commandsIn(documents.map(readText).join('\n'));

/** The first words of the lines in blocks of shell code. */
function commandsIn(text: string): ReadonlySet<string> {
  const lines = [...text.matchAll(block)].flatMap(([, code = '']) => code.split('\n'));
  return new Set(lines.map((line) => line.trim().split(/\s/)[0] ?? ''));
}

/** Quoted words that read like a sentence: no command, header, setting, address or expression. */
function quotedMessages(text: string): string[] {
  const quotes = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)];
  const phrases = quotes.map(([, quote = '']) => quote.replace(/\s+/g, ' '));
  return phrases.filter(
    (phrase) =>
      /^[A-Za-z][A-Za-z0-9 ,;:()'.…-]* [A-Za-z0-9 ,;:()'.…-]+$/.test(phrase) &&
      !/ -|^[\w-]+: /.test(phrase) &&
      !commands.has(phrase.split(' ')[0] ?? ''),
  );
}

/** What the server's sources can write: each string, and each template with anything in its gaps. */
function writtenTexts(): { has(phrase: string): boolean } {
  const strings: string[] = [];
  const templates: RegExp[] = [];
  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const { type, value, quasis } = node as Record<string, unknown>;
    if (type === 'Literal' && typeof value === 'string') strings.push(value);
    if (type === 'TemplateLiteral' && Array.isArray(quasis)) {
      const parts: string[] = quasis.map((quasi) => quasi.value.cooked ?? '');
      strings.push(...parts);
      // A template that begins with a gap would match whatever ends like it.
      if (parts.length > 1 && parts[0] !== '') {
        templates.push(new RegExp(`^${parts.map((part) => part.replace(/[^\w\s]/g, '\\$&')).join('.+')}$`, 's'));
      }
    }
    Object.values(node).forEach(visit);
  }
  for (const file of globSync('server/**/*.ts', { cwd: root })) {
    visit(parseSync(join(root, file), readText(file)).program);
  }
  return {
    has: (phrase) =>
      strings.some((text) => text.includes(phrase)) || templates.some((template) => template.test(phrase)),
  };
}

describe('the log messages that the guides quote', () => {
  const written = writtenTexts();

  for (const document of documents) {
    for (const phrase of new Set(quotedMessages(readText(document)))) {
      it(`are written by the service: "${phrase}" of ${document}`, () => {
        expect(written.has(phrase), phrase).to.equal(true);
      });
    }
  }

  it('are found in the text of a document, and commands are not taken for them', () => {
    const text = '`docker compose logs proxy` says `late write\nsucceeded`, `kill -HUP`.';
    expect(quotedMessages(text)).to.deep.equal(['late write succeeded']);
    expect(written.has('late write succeeded')).to.equal(true);
    expect(written.has('a message that is written nowhere')).to.equal(false);
  });
});
