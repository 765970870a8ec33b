import type { Language } from './languages.ts';

/** Shown in a browser that is too old to load the page's messages. The names of the browsers follow. */
export const browserNotice: Record<Language, string> = {
  en: 'This browser is too old for Advisory Chat. Please use one of these, or a newer version:',
  de: 'Dieser Browser ist zu alt für Advisory Chat. Bitte verwenden Sie einen der folgenden oder eine neuere Version:',
  fr: 'Ce navigateur est trop ancien pour Advisory Chat. Veuillez utiliser l’un des suivants ou une version plus récente :',
  es: 'Este navegador es demasiado antiguo para Advisory Chat. Utilice uno de los siguientes o una versión más reciente:',
  ja: 'このブラウザは古いため、Advisory Chat を利用できません。次のブラウザ、またはそれより新しいバージョンをご利用ください：',
  ar: 'هذا المتصفح قديم ولا يدعم Advisory Chat. يُرجى استخدام أحد المتصفحات التالية أو إصدار أحدث:',
};
