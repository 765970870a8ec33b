/** Components of the client and their providers, imported together so that they share their React contexts. */
export { CommandsProvider } from '../../../client/commands/commands-provider.tsx';
export { SettingsProvider } from '../../../client/settings/settings-provider.tsx';
export { ConversationView } from '../../../client/ui/conversation-view.tsx';
export { EndingNotice } from '../../../client/ui/ending-notice.tsx';
