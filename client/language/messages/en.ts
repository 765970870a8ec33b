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
    editing: 'You are editing a question. The version that you have now is kept.',
    cancelEdit: 'Cancel edit',
  },
  versions: {
    edit: 'Edit question',
    questionVersions: 'Versions of this question',
    questionPlace: 'Question {number, number}/{count, number}',
    questionShown: 'Question: version {number, number} of {count, number}',
    questionPrevious: 'Previous version of this question',
    questionNext: 'Next version of this question',
    replyVersions: 'Versions of this reply',
    replyPlace: 'Reply {number, number}/{count, number}',
    replyShown: 'Reply: version {number, number} of {count, number}',
    replyPrevious: 'Previous version of this reply',
    replyNext: 'Next version of this reply',
    earlierKept: 'An earlier version of this reply is kept.',
    showEarlier: 'Show the earlier version',
  },
} as const;
