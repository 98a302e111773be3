import type { Milliseconds } from '../loop/clock.ts';
import { deleteBatch } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { day } from '../time/duration.ts';
import { Token } from './token.ts';

/** For how long a token is kept that has expired or was revoked, so that people still see whose it was. */
const keptFor: Milliseconds = 30 * day;
/** How many tokens one transaction deletes by each of its reasons, each with its entry in the audit log. */
const pruneBatch = 50;

/** The tokens and sessions with which no user can sign in any more. */
export const expiredTokens = {
  /** Deletes some of those that expired or were revoked a month ago. @returns whether there may be more. */
  async prune(tables: Tables): Promise<boolean> {
    const since = (await tables.now()) - keptFor;
    const expired = await deleteBatch(tables.of(Token), [['expires_at', '<', since]], pruneBatch);
    const revoked = await deleteBatch(tables.of(Token), [['revoked_at', '<', since]], pruneBatch);
    return expired || revoked;
  },
};
