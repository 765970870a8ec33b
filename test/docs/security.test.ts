import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { type ListedTest, listTests } from '../conformance/page/list-tests.ts';
import { readDocument, readText } from '../support/document.ts';
import { levelTwo } from './asvs.ts';

const document = readDocument('docs/security.md');
const chapters = [...document.text.matchAll(/^### V\d+ .*$/gm)].map(([heading]) => heading);
const rows = chapters.flatMap((chapter) =>
  document.tableUnder(chapter).map(([numbers = '', asked = '', state = '', shown = '']) => ({
    numbers: numbersIn(numbers),
    asked,
    state,
    shown,
    links: [...shown.matchAll(/\[(.+?)\]\(\.\.\/(test\/[^)]+)\)/g)].map(([, title = '', file = '']) => ({
      title,
      file,
    })),
  })),
);

describe('docs/security.md', () => {
  describe('its table of the OWASP ASVS', () => {
    let tests: ListedTest[];
    const met = rows.filter(({ state }) => state === 'met');

    before(async function () {
      this.timeout(120_000);
      const files = met.flatMap(({ links }) => links.map(({ file }) => file));
      tests = await listTests([...new Set(files)].filter((file) => !file.startsWith('test/e2e/')));
    });

    it('has each requirement of levels 1 and 2 once, and no other', () => {
      expect(rows.flatMap(({ numbers }) => numbers)).to.have.members(levelTwo);
    });

    it('calls nothing met that no test shows: each title is in its file', () => {
      const titles = tests.map(({ file, chapter, title }) => ({ file, full: `${chapter} ${title}` }));
      for (const { numbers, links, shown } of met) {
        expect(links, numbers[0]).to.have.length.at.least(1);
        expect(shown.replaceAll(/\[.+?\]\([^)]+\)/g, ''), numbers[0]).to.match(/^(, )*$/);
        for (const { title, file } of links) {
          const found = file.startsWith('test/e2e/')
            ? readText(file).includes(title)
            : titles.some((test) => test.file === file && test.full.includes(title));
          expect(found, `${numbers[0]}: "${title}" in ${file}`).to.equal(true);
        }
      }
    });

    it('gives the reason for everything else, and is met, not applicable or a gap', () => {
      for (const { numbers, asked, state, shown } of rows) {
        expect(state, numbers[0]).to.be.oneOf(['met', 'not applicable', 'gap']);
        expect(asked, numbers[0]).not.to.equal('');
        expect(shown.length, numbers[0]).to.be.above(10);
        if (state !== 'met') expect(shown, numbers[0]).to.match(/\.$/);
      }
    });
  });

  it('names the variables of every secret', () => {
    const secrets = document.tableUnder('## Secrets and keys').map(([names]) => names);
    const variables = [...readText('.env.example').matchAll(/^(\w+_(?:PASSWORD|SECRET|API_KEY))=$/gm)];
    const named = variables.map(([, name = '']) => name).filter((name) => !name.endsWith('_CLIENT_SECRET'));
    expect(named).to.have.length(6);
    for (const name of named) expect(secrets.join(' ')).to.include(`\`${name}\``);
  });

  it('names every route as a way in', () => {
    const [, ways = ''] = document.text.split('## Ways in\n');
    const { signIn, ...others } = routes;
    for (const path of [`${signIn}/{provider}`, ...Object.values(others)]) {
      expect(ways.split('\n## ')[0]).to.match(new RegExp(`(GET|POST) ${path.replaceAll(/[{}]/g, String.raw`\$&`)}\``));
    }
  });
});

/** `1.2.6–1.2.8, 1.3.1` as 1.2.6, 1.2.7, 1.2.8 and 1.3.1. */
function numbersIn(text: string): string[] {
  return text.split(', ').flatMap((part) => {
    const [first = '', last = first] = part.split('–');
    const section = first.slice(0, first.lastIndexOf('.'));
    const [from, to] = [first, last].map((number) => Number(number.slice(number.lastIndexOf('.') + 1)));
    return Array.from({ length: (to ?? 0) - (from ?? 0) + 1 }, (_, index) => `${section}.${(from ?? 0) + index}`);
  });
}
