/** The modules of a rendered `EndingNotice`, imported together so that they share their React contexts. */
export { CommandsProvider } from '../../../client/commands/commands-provider.tsx';
export { EndingNotice } from '../../../client/ui/ending-notice.tsx';
