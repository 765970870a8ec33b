/**
 * What the interface says, in ICU MessageFormat, by the part of the page that says it. The other languages say all of the
 * same, or they do not compile; a message is given exactly the values that it names here, or its caller does not compile.
 */
export const messages = {
  charts: {
    description:
      '{kind, select, line {Line chart} other {Bar chart}} of {names}, from {first} to {last}. Lowest: {lowest}. Highest: {highest}.',
    point: '{value} ({label})',
    failed: 'The chart could not be loaded. Try again, or read the table.',
  },
  composer: {
    send: 'Send',
    stop: 'Stop',
    stopWithKey: 'Stop (Escape)',
    sendIn: 'Too many requests. Send in <countdown></countdown>',
  },
  conversationDocument: {
    copy: 'Copy conversation',
    download: 'Download conversation',
    print: 'Print or save as PDF',
    you: 'You',
    assistant: 'Assistant',
    notAnswered: 'Not answered.',
    notComplete: 'This reply is not complete.',
    untitled: 'Conversation',
  },
  copying: {
    reply: 'Copy reply',
    copied: 'Copied',
    failed: 'This browser does not let the page copy. Select the text to copy it yourself.',
  },
  footnotes: {
    mark: 'Footnote {label}',
    note: 'Footnote {label}',
    back: 'Back to the text of footnote {label}',
  },
  formulas: {
    formula: 'Formula',
  },
  tables: {
    table: 'Table',
    copy: 'Copy table',
    download: 'Download CSV',
    showChart: 'Show chart',
    hideChart: 'Hide chart',
    fileName: 'table',
  },
} as const;
