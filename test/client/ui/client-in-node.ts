/** Components of the client and their providers, imported together so that they share their React contexts. */
export { CommandsProvider } from '../../../client/commands/commands-provider.tsx';
export { OnboardingForm } from '../../../client/onboarding/onboarding-form.tsx';
export { DemoPage } from '../../../client/pages/demo-chat/demo-page.tsx';
export { ChatPage } from '../../../client/pages/live-chat/chat-page.tsx';
export { NotFoundPage } from '../../../client/pages/not-found-page.tsx';
export { OnboardingPage } from '../../../client/pages/onboarding-page.tsx';
export { ShortcutsDialog } from '../../../client/pages/shortcuts-dialog.tsx';
export { SignInPage } from '../../../client/pages/sign-in-page.tsx';
export { SettingsProvider } from '../../../client/settings/settings-provider.tsx';
export { ConversationView } from '../../../client/ui/conversation-view.tsx';
export { ConversationList } from '../../../client/ui/list/conversation-list.tsx';
export { EndingNotice } from '../../../client/ui/turn/ending-notice.tsx';
