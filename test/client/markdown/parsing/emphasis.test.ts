import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Inline } from '../../../../client/markdown/parsing/nodes.ts';
import { readBlocks } from '../../../../client/markdown/parsing/read-blocks.ts';

const marks: Readonly<Record<string, string>> = { strong: 'b', emphasis: 'i', deleted: 's' };

function tagged(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.type === 'text') return node.text;
      return 'children' in node ? `<${marks[node.type]}>${tagged(node.children)}</${marks[node.type]}>` : '';
    })
    .join('');
}

function read(text: string, isGrowing = false): string {
  const [block] = readBlocks(text, { isGrowing });
  return block?.type === 'paragraph' ? tagged(block.children) : '';
}

describe('emphasis beside East Asian text', () => {
  for (const [written, shown] of [
    ['**注意：**数値は推定です。', '<b>注意：</b>数値は推定です。'],
    ['含**「重点」**内容。', '含<b>「重点」</b>内容。'],
    ['~~削除（例）。~~続き', '<s>削除（例）。</s>続き'],
    ['これは**（重要）**です', 'これは<b>（重要）</b>です'],
    ['*注意：*数値', '<i>注意：</i>数値'],
    ['_注意：_数値', '<i>注意：</i>数値'],
    ['含_「重点」_内容', '含<i>「重点」</i>内容'],
    ['__注意：__数値', '<b>注意：</b>数値'],
    ['请看**“重点”**内容。', '请看<b>“重点”</b>内容。'],
    ['**价格（元）**和**数量**', '<b>价格（元）</b>和<b>数量</b>'],
    ["**'핵심'**은 다음과 같다", "<b>'핵심'</b>은 다음과 같다"],
    ['**핵심(Core)**은 ~~취소(예)~~된다', '<b>핵심(Core)</b>은 <s>취소(예)</s>된다'],
    ['***注意：***数値', '<i><b>注意：</b></i>数値'],
    ['**𠮷野家。**𠮷', '<b>𠮷野家。</b>𠮷'],
    ['売上_2025_計とファイル_最終_版', '売上_2025_計とファイル_最終_版'],
    ['a_b_c and 2 * 3 * 4', 'a_b_c and 2 * 3 * 4'],
    ['数 * 量 * 値', '数 * 量 * 値'],
  ] as const) {
    it(`is “${shown}” for “${written}”`, () => {
      expect(read(written)).to.equal(shown);
      expect(read(written, true)).to.equal(shown);
    });
  }

  for (const [written, shown] of [
    ['**注意：', '<b>注意：</b>'],
    ['含**「重', '含<b>「重</b>'],
    ['含**「重点」**内', '含<b>「重点」</b>内'],
    ['~~削除（例）。~~続', '<s>削除（例）。</s>続'],
    ['含_「重', '含<i>「重</i>'],
    ['**注意：**数値**（推', '<b>注意：</b>数値<b>（推</b>'],
  ] as const) {
    it(`is “${shown}” for “${written}” while the reply is still arriving`, () => {
      expect(read(written, true)).to.equal(shown);
    });
  }
});
