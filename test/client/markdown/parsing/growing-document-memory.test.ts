import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { emptyDocument, growDocument } from '../../../../client/markdown/parsing/growing-document.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const maxTimesTheText = 10;
const wordsOfPart = 240;
const pieceCharacters = 120;

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const part = [
  `## ${words(10)}`,
  words(90),
  `- ${words(50)}\n- **${words(10)}**`,
  `| A | B |\n|--|--|\n| ${words(80)} | 1 |`,
];

/** Returns the document of a reply with about `wordCount` words that was streamed in small pieces. */
function streamedDocument(wordCount: number) {
  const parts = Array.from({ length: wordCount / wordsOfPart }, () => part.join('\n\n'));
  const whole = parts.join('\n\n');
  let text = '';
  let document = emptyDocument;
  for (let start = 0; start < whole.length; start += pieceCharacters) {
    text += whole.slice(start, start + pieceCharacters);
    document = growDocument(document, text, true);
  }
  return document;
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('The memory of a growing document', () => {
  for (const wordCount of [10_000, 50_000]) {
    it(`is at most ten times that of its text after ${wordCount.toLocaleString('en')} words`, () => {
      // Excludes what the engine allocates for compiled code.
      streamedDocument(wordCount);
      const before = heapBytes();
      const document = streamedDocument(wordCount);
      const held = heapBytes() - before;
      expect(held / document.text.length).to.be.below(maxTimesTheText);
    });
  }
});
