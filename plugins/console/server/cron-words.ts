import cronstrue from 'cronstrue';
import { inCzech } from './czech-cron.ts';
import type { Language } from './language.ts';

/** Puts a cron pattern into words; null for a text that is none, and for a pattern that there are no words for. */
export function cronWords(cron: string, language: Language): string | null {
  try {
    const text = cronstrue.toString(cron, { locale: language, use24HourTimeFormat: true });
    return language === 'cs' ? inCzech(text) : text;
  } catch {
    return null;
  }
}
