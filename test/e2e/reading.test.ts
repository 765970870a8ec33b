import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formatAppendedError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { ofSuite } from '../support/of-suite.ts';
import { expectAccessible } from './support/axe.ts';
import { conversationOn } from './support/conversation.ts';
import { startDictation } from './support/dictation.ts';
import { belowHeader, drawn, topOf } from './support/drawn.ts';
import { fetchMarkdown, holdMarkdown } from './support/held-markdown.ts';
import { noteShownParts } from './support/shown-parts.ts';
import { visitDemo } from './support/sign-in.ts';

const paragraphs = (count: number) => Array.from({ length: count }, (_, n) => `Paragraph ${n + 1}.\n\n`).join('');

const table = '| Week | Cost |\n| :--- | ---: |\n| 1 | 20 |\n';

describe('reading a reply in the browser', () => {
  const dictation = ofSuite(() => startDictation());

  /** Asks a question as a new visitor; the test then dictates the reply. */
  async function startReply() {
    const { page, ...conversation } = await visitDemo(dictation.product);
    const reply = dictation.nextReply();
    await fetchMarkdown(page);
    await conversation.ask('Where do we stand?');
    return { page, ...conversation, ...reply, article: conversation.replies.last() };
  }

  it('shows lists, tables, headings, code and whole formulas while they are written, and copies neither code nor reply before its end', async () => {
    const { page, article, end, finished, say } = await startReply();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/typeset/, async (route) => {
      await released;
      await route.continue();
    });
    await say('Costs fall by \\(x^');
    await article.getByText('Costs fall by', { exact: true }).waitFor();
    await say('2\\) a week');
    await article.getByText('\\(x^2\\)', { exact: true }).waitFor();
    expect(await article.textContent()).to.equal('Costs fall by \\(x^2\\) a week');
    await say('.\n\n$$\n\\frac{a');
    await article.getByText('a week.').waitFor();
    expect(await article.textContent()).to.not.contain('frac');
    await say('}{b}\n$$\n\n> One\n> > Two\n\nThe formulas end.');
    await article.getByText('The formulas end.').waitFor();
    release();
    await article.locator('math msup').waitFor();
    await article.locator('math[display=block] mfrac').waitFor();

    await say('\n\n## Where we stand\n\n1. First\n   - [x] Inner');
    await article.getByRole('heading', { name: 'Where we stand' }).waitFor();
    await article.getByRole('list').getByRole('list').getByRole('img', { name: 'Done', exact: true }).waitFor();
    await say(`\n2. Second\n\n${table}| 2 | **3`);
    await article.getByRole('cell', { name: '3' }).locator('strong').waitFor();
    expect(await article.getByRole('columnheader').allTextContents()).to.deep.equal(['Week', 'Cost']);
    await say('0** |\n\n> Said *softly*.\n\n```ts\nconst week = ');
    await article.locator('pre').getByText('const week =').waitFor();
    expect(await article.locator('pre span').count()).to.equal(0);
    expect(await page.getByRole('button', { name: /^Copy (code|reply)/ }).count()).to.equal(0);
    await say('3;\n```\n\n---\n\nThat is all.');
    await article.locator('pre .hljs-keyword', { hasText: 'const' }).waitFor();
    await end();
    await finished();
    expect(await article.locator('pre').textContent()).to.equal('const week = 3;');
    expect(await article.getByRole('blockquote').last().locator('em').textContent()).to.equal('softly');
    expect(await article.getByRole('listitem').count()).to.equal(3);
    expect(await article.getByRole('separator').count()).to.equal(1);
  });

  it('shows no marks that turn into something else: visible text stays, and more follows it', async () => {
    const { page, end, finished, say } = await startReply();
    const shownParts = await noteShownParts(page);
    const source = `A **bold** and *soft* [link](https://example.com/a_b) with \`code\`.<br />More.\n\n${table}| 2 | 3<br>4 |\n\n<br>\n\n- item ~~old~~\n\n# End`;
    for (const character of source) {
      await say(character);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await end();
    const whole = await finished();
    const texts = (await shownParts()).map(({ text }) => text);
    expect(texts.length).to.be.greaterThan(20);
    expect(texts.filter((text) => !whole.startsWith(text))).to.deep.equal([]);
    expect(whole).not.to.include('<br');
  });

  it('shows attacks on the page as text, executes none of them, and links to no page of this site', async () => {
    const { page, article, end, finished, say } = await startReply();
    const attacks = [
      '<script>document.title = "Attacked"</script>',
      '<img src=x onerror="document.title = \'Attacked\'">',
      '[run](javascript:document.title=1)',
      '[data](data:text/html,<script>1</script>)',
      '[here](/auth/sign-out)',
      `[there](${new URL(page.url()).origin}/auth/github)`,
    ];
    await say(
      `${attacks.join('\n\n')}\n\n![a picture](https://example.com/p.png) <https://example.com/> <j@example.com>`,
    );
    await end();
    await finished();
    for (const attack of attacks) await article.getByText(attack, { exact: true }).waitFor();
    expect(await article.locator('img, script, iframe').count()).to.equal(0);
    expect(await page.title()).to.not.contain('Attacked');
    const links = await article.getByRole('link').all();
    const shown = links.map(async (link) => [await link.textContent(), await link.getAttribute('href')]);
    expect(await Promise.all(shown)).to.deep.equal([
      ['a picture', 'https://example.com/p.png'],
      ['https://example.com/', 'https://example.com/'],
      ['j@example.com', 'mailto:j@example.com'],
    ]);
  });

  it('puts a question at the top, lets its reply grow below it, and counts the new lines out of view', async () => {
    const { page, article, end, finished, questions, say } = await startReply();
    await say('The first reply.');
    await end();
    await finished();
    const next = dictation.nextReply();
    await conversationOn(page).ask('And then?');
    await next.say(paragraphs(60));
    await article.getByText('Paragraph 60.').waitFor();
    const question = questions.last();
    const top = await topOf(question);
    expect(await belowHeader(question)).to.be.within(0, 30);
    await page.getByRole('button', { name: /^Jump to latest · \d+ new lines$/ }).waitFor();

    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, 300);
    await drawn(page);
    const before = await topOf(question);
    await next.say(`${paragraphs(40)}The end.`);
    await next.end();
    await finished();
    await page.getByRole('button', { name: /^Reply finished · \d+ new lines$/ }).waitFor();
    expect(await topOf(question)).to.equal(before);
  });

  it('announces in view that a reply has failed further down, leads there, and moves nothing by itself', async () => {
    // With reduced motion, the page stands still once it is drawn.
    const { page, ask, error, replies } = await visitDemo(undefined, { reducedMotion: 'reduce' });
    const body = `${paragraphs(40)}${formatAppendedError('UPSTREAM_ERROR')}`;
    await page.route(routes.demoChat, (route) => route.fulfill({ contentType: 'text/plain; charset=utf-8', body }));
    // Markdown arrives when the reply is over.
    const release = await holdMarkdown(page);
    await ask('Where do we stand?');
    await error.waitFor();
    release();
    const failed = page.getByRole('button', { name: /^Not finished: Try again/ });
    await failed.filter({ hasText: / · \d+ new lines$/ }).waitFor();
    expect(await belowHeader(replies.getByText('Paragraph 1.', { exact: true }))).to.be.within(0, 140);

    const again = page.waitForRequest((request) => request.url().endsWith(routes.demoChat));
    await failed.click();
    await again;
    await failed.waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: /^Not finished: See why/ }).click();
    await failed.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await drawn(page);
    const noticeBelowFold = () =>
      error.evaluate((notice) => {
        const dock = document.querySelector('.dock');
        return notice.getBoundingClientRect().bottom - (dock?.getBoundingClientRect().top ?? 0);
      });
    const before = await noticeBelowFold();
    expect(before).to.be.below(0);
    // A little of the notice is behind the dock.
    await page.mouse.move(640, 300);
    await page.mouse.wheel(0, before - 20);
    await failed.waitFor();
  });

  it('shows the end of a reply on a page that draws no frames', async () => {
    const { page, ask, replies } = await visitDemo(dictation.product);
    await page.evaluate(() => {
      window.requestAnimationFrame = () => 0;
    });
    dictation.replyWith('It **ends** here.');
    await ask('Where do we stand?');
    await replies.getByText('It ends here.').waitFor();
  });

  it('is accessible whatever it holds, and has room for the numbers of a list, however many digits they have', async () => {
    const { page, article, end, finished, say } = await startReply();
    const code =
      "```sql\n-- Waiting\nselect sum(hours) / 24.0, 'mill' from steps where a_long_name_that_scrolls = 1\n```";
    await say(
      `98. Short\n\nAnd\n\n9998. Long\n9999. Longer\n10000. Longest\n\n## Title\n\n### Part\n\n- [x] done\n- [ ] open\n\n${table}\n> quote \`code\` https://example.com and [a report](https://example.com)\n\n${code}\n\n> [!WARNING]\n> From $5 to $6, as f\\(a has it.\n\n$$\n\\frac{a}{b}\n$$\n\n\\[\n\\href{javascript:alert(1)}{a}\n\\]\n`,
    );
    await end();
    await finished();
    await article.locator('.hljs-keyword').first().waitFor();
    await article.locator('math[display=block] mfrac').waitFor();
    await article.getByText('\\href{javascript:alert(1)}{a}').waitFor();
    expect(await article.getByRole('blockquote').last().textContent()).to.equal(
      'WarningFrom $5 to $6, as f\\(a has it.',
    );
    await expectAccessible(page, 'a reply');

    const spare = await article.locator('ol').evaluateAll((lists) =>
      lists.map((list) => {
        const marker = document.createElement('span');
        marker.style.whiteSpace = 'pre';
        marker.textContent = list.children.length === 1 ? '98. ' : '10000. ';
        const item = list.lastElementChild ?? list;
        item.prepend(marker);
        const { width } = marker.getBoundingClientRect();
        const room = [list, item].reduce(
          (sum, part) => sum + Number.parseFloat(getComputedStyle(part).paddingInlineStart),
          0,
        );
        return room - width;
      }),
    );
    expect(spare).to.have.length(2);
    expect(Math.min(...spare)).to.be.at.least(0);
  });
});
