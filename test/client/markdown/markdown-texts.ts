import fc from 'fast-check';

const pieces = [
  ...['\n', '\n\n', '\r\n', '\r', ' ', '  ', '    ', '\t', 'word', 'text', 'a\nb', '\\', '&amp;', '\u0000'],
  ...['- ', '+ ', '1. ', '2. ', '0)', '# ', '## ', '> ', '---', '===', '```', '~~~ts', '[x] ', '| a | b |', '|-|-|'],
  ...['**', '*', '_', '~~', '`', '[', ']', '](', '[a](http://b.c)', '![i](http://z)', '[r]: http://x', 'http://x.y'],
  ...['$', '$$', '\\(', '\\)', '\\[', '\\]', 'x^2', '= 1', '[^1]', '[^1]: ', '[^', '[^note]: a'],
  ...['<b>', '<script>', '<!--', '<br>', '<br', ' />', 'שלום', '🧭'],
];

/** Texts made of what Markdown takes notice of, in every order, however senseless. */
export const markdownTexts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((chosen) => chosen.join(''));
