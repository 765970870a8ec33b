/**
 * What the interface says, in ICU MessageFormat, by the part of the page that says it. The other languages say all of the
 * same, or they do not compile; a message is given exactly the values that it names here, or its caller does not compile.
 */
export const messages = {
  composer: {
    send: 'Send',
    stop: 'Stop',
    stopWithKey: 'Stop (Escape)',
    sendIn: 'Too many requests. Send in <countdown></countdown>',
  },
  reading: {
    jump: 'Jump to latest',
    jumpToNew: 'Jump to latest · {lines, plural, one {# new line} other {# new lines}}',
  },
} as const;
