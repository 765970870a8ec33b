import '../language/messages/en.ts';
import { useId, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { keyNames } from '../commands/command-key.ts';
import { useCommandRegistry } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Modal, type PageDialogProps } from '../controls/modal.tsx';
import { useLanguageChoice } from '../language/language-provider.tsx';
import { chooseLanguage, isLanguage, languages, languageTags } from '../language/languages.ts';
import { DeviceData } from './device-data.tsx';
import { browserNotifier, type NotificationResult, turnOnNotifications } from './notifications.ts';
import { settingChoices } from './settings.ts';
import { useSettings } from './settings-provider.tsx';
import { useCoarsePointer } from './use-coarse-pointer.ts';

export function SettingsDialog({ onClose }: PageDialogProps) {
  const t = useTranslations('settings');
  const tCommand = useTranslations('commands');
  const registry = useCommandRegistry();
  const { settings, change } = useSettings();
  const hasTouch = useCoarsePointer();
  const { shortcuts } = registry.commands();
  const conversations = registry.conversations();

  return (
    <Modal label={tCommand('settings')} className="modal settings" closeLabel={tCommand('close')} onClose={onClose}>
      {(_, closeThen) => (
        <>
          <Choice
            legend={t('theme')}
            values={settingChoices.theme}
            labels={{ system: t('themeSystem'), light: t('themeLight'), dark: t('themeDark') }}
            value={settings.theme}
            onChange={(theme) => change({ theme })}
          />
          <LanguageChoice />
          <Choice
            legend={t('enter')}
            values={settingChoices.enter}
            labels={{ auto: t('enterAuto'), send: t('enterSend'), line: t('enterLine') }}
            value={settings.enter}
            onChange={(enter) => change({ enter })}
            {...(!hasTouch && { hint: t('enterHint', keyNames) })}
          />
          <NotificationChoice />
          {shortcuts && (
            <div>
              <Button onClick={() => closeThen(shortcuts)}>{tCommand('shortcuts')}</Button>
            </div>
          )}
          {conversations && (
            <>
              <h3>{t('device')}</h3>
              <DeviceData list={conversations.list} />
            </>
          )}
        </>
      )}
    </Modal>
  );
}

type ChoiceProps<Value extends string> = {
  legend: string;
  values: readonly Value[];
  labels: Record<Value, string>;
  value: Value;
  onChange: (value: Value) => void;
  hint?: string;
};

function Choice<Value extends string>({ legend, values, labels, value, onChange, hint }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <fieldset aria-labelledby={`${id}legend`} aria-describedby={hint && `${id}hint`}>
      <div className="settings-row">
        <p id={`${id}legend`}>{legend}</p>
        <div className="segments">
          {values.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={id}
                value={choice}
                checked={choice === value}
                onChange={() => onChange(choice)}
              />
              <span>{labels[choice]}</span>
            </label>
          ))}
        </div>
      </div>
      {hint && (
        <p id={`${id}hint`} className="hint">
          {hint}
        </p>
      )}
    </fieldset>
  );
}

function LanguageChoice() {
  const t = useTranslations('settings');
  const choice = useLanguageChoice();
  const { chosen } = useSyncExternalStore(choice.subscribe, choice.getState);
  const id = useId();
  const preferred = languages[chooseLanguage(navigator.languages).language].name;
  return (
    <div>
      <div className="settings-row">
        <label htmlFor={id}>{t('language')}</label>
        <select
          id={id}
          aria-describedby={`${id}hint`}
          value={chosen ?? ''}
          onChange={({ target }) => choice.choose(isLanguage(target.value) ? target.value : undefined)}
        >
          <option value="">{t('languageAuto', { language: preferred })}</option>
          {languageTags.map((language) => (
            <option key={language} value={language} lang={language}>
              {languages[language].name}
            </option>
          ))}
        </select>
      </div>
      <p id={`${id}hint`} className="hint">
        {t('languageHint')}
      </p>
    </div>
  );
}

function NotificationChoice() {
  const t = useTranslations('settings');
  const { settings, change } = useSettings();
  const [result, setResult] = useState<NotificationResult>('on');
  const id = useId();

  const toggle = async (isRequested: boolean) => {
    const outcome = isRequested ? await turnOnNotifications(browserNotifier()) : 'on';
    setResult(outcome);
    change({ notifications: isRequested && outcome === 'on' });
  };
  return (
    <div>
      <label className="settings-row">
        <span>{t('notifications')}</span>
        <input
          type="checkbox"
          aria-describedby={`${id}hint`}
          checked={settings.notifications}
          onChange={({ target }) => toggle(target.checked)}
        />
      </label>
      <p id={`${id}hint`} className={result === 'on' ? 'hint' : 'field-error'} role="status">
        {t(hints[result])}
      </p>
    </div>
  );
}

const hints = {
  on: 'notificationsHint',
  denied: 'notificationsDenied',
  missing: 'notificationsMissing',
} as const satisfies Record<NotificationResult, string>;
