import { useSettings } from '../../settings/settings-provider.tsx';
import { ConversationListView, type ConversationListViewProps } from './conversation-list.tsx';

export function ConversationListColumn(props: ConversationListViewProps) {
  const { settings } = useSettings();
  if (settings.isListFolded) return null;
  return (
    <div className="list-column">
      <ConversationListView {...props} />
    </div>
  );
}
