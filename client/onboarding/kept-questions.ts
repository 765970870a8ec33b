import * as z from 'zod/mini';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';

const questionsSchema = z.array(z.string());

/** Keeps what to suggest in this person's live chat, for as long as the tab is open. */
export function keepFirstQuestions(userId: string, questions: readonly string[]): void {
  try {
    deviceStorage('sessionStorage').setItem(deviceKeys.firstQuestions(userId), JSON.stringify(questions));
  } catch {
    // The storage is full: the chat makes its general suggestions.
  }
}

/** The questions that this person's onboarding in this tab suggests, the best one first; none where there was none. */
export function firstQuestions(userId: string): string[] {
  const kept = deviceStorage('sessionStorage').getItem(deviceKeys.firstQuestions(userId));
  return questionsSchema.safeParse(parseJson(kept)).data ?? [];
}
