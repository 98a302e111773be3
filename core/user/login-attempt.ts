import { count, instant, text } from '../field/fields.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/** How often somebody guessed wrong of late: from one address at one login, at one login, from one address. */
export const LoginAttempt = defineBookkeeping({
  name: 'LoginAttempt',
  fields: {
    /** SHA-256: what people type for a login by mistake may be their password. */
    key: text(64, { unique: true }).required(),
    /** Wrong guesses since the last right one, and those that are being judged at this moment. */
    wrong: count(0),
    /** Until when no further guess is judged; null = the next one is. */
    closed_until: instant(),
    /** When a guess was last right. */
    right_at: instant(),
    at: instant({ indexed: true }).required(),
  },
});
export type LoginAttemptRow = RowOfTable<typeof LoginAttempt>;
