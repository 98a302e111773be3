import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeAttempt } from './native-attempt.ts';
import { killSessions, sessionsIn } from './sessions.ts';

/**
 * Kills what a launcher that died was running, and waits until it is gone. Of some attempts the launcher may not have
 * had the time to say that they had started: their sessions are those in its working directories that began since
 * they were asked for. Older ones belong to services that jobs started to last.
 */
export async function killAbandoned(folder: string, attempts: readonly NativeAttempt[]): Promise<void> {
  const running = attempts.filter((attempt) => !attempt.over);
  if (running.length === 0) return;
  const leaders = new Set(running.flatMap(({ pid }) => pid ?? []));
  const since = Math.min(...running.filter(({ pid }) => pid === null).map(({ askedAt }) => askedAt));
  if (since < Number.POSITIVE_INFINITY) {
    for (const leader of sessionsIn((workingFolder) => workingFolder.startsWith(`${folder}/`), since))
      leaders.add(leader);
  }
  // What cannot be killed at all, as it waits for a disk, is not waited for.
  for (let round = 0; killSessions(leaders) > 0 && round < 500; round++) await sleep(10);
}
