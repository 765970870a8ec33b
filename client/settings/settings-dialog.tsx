import { useTranslations } from 'use-intl/react';
import type { PageDialogProps } from '../commands/dialog-props.ts';
import { useCommandRegistry } from '../commands/in-commands.tsx';
import { useNextStep } from '../commands/use-next-step.ts';
import { Button } from '../controls/button.tsx';
import { keyNames } from '../controls/key-names.ts';
import { Modal } from '../controls/modal.tsx';
import { Choice } from './choice.tsx';
import { DeviceData } from './device-data.tsx';
import { useSettings } from './in-settings.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { NotificationChoice } from './notification-choice.tsx';

/** What can be set on this device. Each setting holds as soon as it is made. */
export function SettingsDialog({ onClose }: PageDialogProps) {
  const say = useTranslations('settings');
  const sayCommand = useTranslations('commands');
  const registry = useCommandRegistry();
  const { settings, change } = useSettings();
  const { closed, goOn } = useNextStep(onClose);
  const { signOutEverywhere, shortcuts } = registry.commands();
  const conversations = registry.conversations();

  return (
    <Modal label={say('title')} className="modal settings" onClose={closed}>
      {(close) => (
        <>
          <div className="drawer-head">
            <h2>{say('title')}</h2>
            <Button kind="quiet" onClick={close}>
              {say('close')}
            </Button>
          </div>
          <Choice
            legend={say('theme')}
            value={settings.theme}
            onChange={(theme) => change({ theme })}
            options={[
              { value: 'system', label: say('themeSystem') },
              { value: 'light', label: say('themeLight') },
              { value: 'dark', label: say('themeDark') },
            ]}
          />
          <Choice
            legend={say('textSize')}
            value={settings.textSize}
            onChange={(textSize) => change({ textSize })}
            options={[
              { value: 'small', label: say('textSizeSmall') },
              { value: 'normal', label: say('textSizeNormal') },
              { value: 'large', label: say('textSizeLarge') },
            ]}
          />
          <Choice
            legend={say('enter')}
            value={settings.enter}
            onChange={(enter) => change({ enter })}
            hint={say('enterHint', keyNames)}
            options={[
              { value: 'auto', label: say('enterAuto') },
              { value: 'send', label: say('enterSend') },
              { value: 'line', label: say('enterLine') },
            ]}
          />
          <LanguageChoice />
          <NotificationChoice />
          {conversations && (
            <section className="settings-device">
              <h3>{say('device')}</h3>
              <DeviceData list={conversations.list} />
            </section>
          )}
          <div className="settings-ways">
            {shortcuts && <Button onClick={() => goOn(shortcuts, close)}>{sayCommand('shortcuts')}</Button>}
            {signOutEverywhere && (
              <Button onClick={() => goOn(signOutEverywhere, close)}>{say('signOutEverywhere')}</Button>
            )}
          </div>
        </>
      )}
    </Modal>
  );
}
