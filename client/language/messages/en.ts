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
  conversations: {
    label: 'Conversations',
    create: 'New conversation',
    search: 'Search conversations',
    searchHint: 'Search',
    results: 'Search results',
    found: '{count, plural, =0 {Nothing found.} one {# conversation found.} other {# conversations found.}}',
    today: 'Today',
    yesterday: 'Yesterday',
    week: 'Previous 7 days',
    empty: 'Your conversations will be listed here.',
    running: 'Reply running…',
    rename: 'Rename “{title}”',
    remove: 'Delete “{title}”',
    name: 'Name of the conversation',
    save: 'Save',
    close: 'Close',
    unknown: 'Conversation not found',
    full: 'This device has no room left. What you write now is lost when you close the page. Download your conversations, then delete some.',
    notLasting:
      'Your browser does not let this page keep anything. Your conversations are gone when you close the page.',
  },
  deviceData: {
    conversations: '{count, plural, =0 {No conversations} one {# conversation} other {# conversations}} on this device',
    used: '{used} of {quota} used',
    persistent: 'The browser keeps them until you delete them.',
    notPersistent: 'The browser may remove them when this device runs short of room. Download them now and then.',
    downloadJson: 'Download all',
    downloadMarkdown: 'Download all as text',
    downloadFailed: 'The conversations could not be read. Reload the page and try again.',
    importFile: 'Import a file',
    imported:
      '{added, plural, =0 {No conversation was added.} one {# conversation was added.} other {# conversations were added.}} {unchanged, plural, =0 {} one {# was here already.} other {# were here already.}}',
    refused: '{count, plural, one {# could not be taken:} other {# could not be taken:}}',
    removeAll: 'Delete all',
    removeAllAsk: 'All conversations and drafts go from this device for good. This cannot be undone.',
    removeAllConfirm: 'Delete everything',
    removeAllCancel: 'Keep them',
    damaged:
      '{count, plural, one {# record is damaged and cannot be shown.} other {# records are damaged and cannot be shown.}} Nothing of it is deleted.',
    downloadDamaged: 'Download what is damaged',
  },
  reading: {
    jump: 'Jump to latest',
    jumpToNew: 'Jump to latest · {lines, plural, one {# new line} other {# new lines}}',
  },
  signOut: {
    heading: 'Sign out?',
    leaving:
      'Signing out removes {count, plural, one {# conversation} other {# conversations}} from this device{drafts, plural, =0 {} one {, with # message that you have not sent} other {, with # messages that you have not sent}}.',
    keep: 'Download them first if you want to keep them. You can import the file after the next sign-in.',
    cancel: 'Cancel',
    confirm: 'Sign out',
    failed: 'Signing out failed. Try again.',
  },
  undo: {
    deleted: 'Deleted “<title></title>”.',
    startedOver: 'A new conversation has begun.',
    undo: 'Undo',
    withKey: 'Undo (Ctrl+Z)',
    close: 'Close',
  },
  unknownConversation: {
    heading: 'This conversation is not on this device',
    why: 'It was deleted, or it is kept in another browser or on another device. Each of them shows its own conversations.',
    next: 'If you have a file of it, import that under “This device’s data” in the settings.',
    create: 'New conversation',
  },
} as const;
