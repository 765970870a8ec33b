import fc from 'fast-check';

export const pieces = [
  ...['\n', '\n\n', '\r\n', '\r', ' ', '  ', '    ', '\t', 'word', 'text', 'a\nb', '\\', '&amp;', '\u0000'],
  ...['- ', '+ ', '1. ', '2. ', '0)', '[x] ', '# ', '## ', '> ', '---', '===', '| a | b |', '|-|-|'],
  ...['```', '~~~ts', '```md\n', '```js\n', '`', '**', '*', '_', '~~'],
  ...['[', ']', '](', '[a](http://b.c)', '![i](http://z)', '[r]: http://x', 'http://x.y'],
  ...['[^1]', '[^1]: ', '[^', '[^note]: a', '$', '$$', '\\(', '\\)', '\\[', '\\]', 'x^2', '= 1'],
  ...['<b>', '<script>', '<!--', '<br>', '<br', ' />', 'שלום', '🧭'],
];

/** Random sequences of strings with a meaning in Markdown. */
export const markdownTexts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((chosen) => chosen.join(''));
