import '../language/messages/en.ts';
import '../styles/settings.css';
import { useId, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { useCoarsePointer } from '../browser/use-media.ts';
import { keyNames } from '../commands/command-key.ts';
import { useCommandRegistry } from '../commands/commands-provider.tsx';
import { Modal, type PageDialogProps } from '../controls/modal.tsx';
import { useLanguageStore } from '../language/language-provider.tsx';
import { chooseLanguage, isLanguage, languages, languageTags } from '../language/languages.ts';
import { DeviceData } from './device-data.tsx';
import { browserNotifier, type NotificationResult, turnOnNotifications } from './notifications.ts';
import { settingChoices } from './settings.ts';
import { useSettings } from './settings-provider.tsx';
import { ActionRow, SettingsGroup, SettingsRow } from './settings-row.tsx';

export function SettingsDialog({ onClose }: PageDialogProps) {
  const t = useTranslations('settings');
  const tCommand = useTranslations('commands');
  const tSignOut = useTranslations('signOut');
  const registry = useCommandRegistry();
  const { settings, change } = useSettings();
  const hasTouch = useCoarsePointer();
  const { shortcuts, signOutEverywhere } = registry.commands();
  const conversations = registry.conversations();

  return (
    <Modal label={tCommand('settings')} className="modal settings" closeLabel={tCommand('close')} onClose={onClose}>
      {(_, closeThen) => (
        <>
          <SettingsGroup heading={t('appearance')}>
            <Choice
              name={t('theme')}
              values={settingChoices.theme}
              labels={{ system: t('themeSystem'), light: t('themeLight'), dark: t('themeDark') }}
              value={settings.theme}
              onChange={(theme) => change({ theme })}
            />
            <LanguageChoice />
          </SettingsGroup>
          <SettingsGroup heading={t('keyboard')}>
            <Choice
              name={t('enter')}
              help={hasTouch ? undefined : t('enterHint', keyNames)}
              values={settingChoices.enter}
              labels={{ auto: t('enterAuto'), send: t('enterSend'), line: t('enterLine') }}
              value={settings.enter}
              onChange={(enter) => change({ enter })}
            />
            {shortcuts && (
              <ActionRow name={tCommand('shortcuts')} action={t('show')} onClick={() => closeThen(shortcuts)} />
            )}
          </SettingsGroup>
          <SettingsGroup heading={t('device')}>
            <NotificationChoice />
            {conversations && <DeviceData library={conversations.library} />}
          </SettingsGroup>
          {signOutEverywhere && (
            <SettingsGroup heading={t('account')}>
              <ActionRow
                name={tCommand('signOutEverywhere')}
                help={tSignOut('everywhereLead')}
                action={tCommand('signOut')}
                onClick={() => closeThen(signOutEverywhere)}
              />
            </SettingsGroup>
          )}
        </>
      )}
    </Modal>
  );
}

type ChoiceProps<Value extends string> = {
  name: string;
  help?: string | undefined;
  values: readonly Value[];
  labels: Record<Value, string>;
  value: Value;
  onChange: (value: Value) => void;
};

function Choice<Value extends string>({ name, help, values, labels, value, onChange }: ChoiceProps<Value>) {
  const group = useId();
  return (
    <SettingsRow name={name} help={help}>
      {(props) => (
        <div role="radiogroup" className="segments" {...props}>
          {values.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={group}
                value={choice}
                checked={choice === value}
                onChange={() => onChange(choice)}
              />
              <span>{labels[choice]}</span>
            </label>
          ))}
        </div>
      )}
    </SettingsRow>
  );
}

function LanguageChoice() {
  const t = useTranslations('settings');
  const store = useLanguageStore();
  const { chosen } = useSyncExternalStore(store.subscribe, store.getState);
  const preferred = languages[chooseLanguage(navigator.languages).language].name;
  return (
    <SettingsRow name={t('language')} help={t('languageHint')} isLabel>
      {(props) => (
        <select
          {...props}
          value={chosen ?? ''}
          onChange={({ target }) => store.choose(isLanguage(target.value) ? target.value : undefined)}
        >
          <option value="">{t('languageAuto', { language: preferred })}</option>
          {languageTags.map((language) => (
            <option key={language} value={language} lang={language}>
              {languages[language].name}
            </option>
          ))}
        </select>
      )}
    </SettingsRow>
  );
}

function NotificationChoice() {
  const t = useTranslations('settings');
  const { settings, change } = useSettings();
  const [result, setResult] = useState<NotificationResult>('on');

  const toggle = async (isRequested: boolean) => {
    const outcome = isRequested ? await turnOnNotifications(browserNotifier()) : 'on';
    setResult(outcome);
    change({ notifications: isRequested && outcome === 'on' });
  };
  const help = (
    <p role="status" className={result === 'on' ? undefined : 'field-error'}>
      {t(hints[result])}
    </p>
  );
  return (
    <SettingsRow name={t('notifications')} help={help} isLabel>
      {(props) => (
        <input
          {...props}
          type="checkbox"
          checked={settings.notifications}
          onChange={({ target }) => toggle(target.checked)}
        />
      )}
    </SettingsRow>
  );
}

const hints = {
  on: 'notificationsHint',
  denied: 'notificationsDenied',
  missing: 'notificationsMissing',
} as const satisfies Record<NotificationResult, string>;
