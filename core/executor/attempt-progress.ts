/** The maximum length of the message that a job reports with its progress. */
export const maxMessage = 1000;

/** How far an attempt is, as it says itself. */
export interface AttemptProgress {
  /** In percent; null = it is not known. */
  readonly progress: number | null;
  /** What it does; null = it does not say. At most 1,000 characters are shown. */
  readonly message: string | null;
}

/** Returns a progress as jobs show it: whole percents from 0 to 100, and a message that is not too long. */
export function shownProgress({ progress, message }: AttemptProgress): AttemptProgress {
  const isKnown = typeof progress === 'number' && Number.isFinite(progress);
  return {
    progress: isKnown ? Math.min(100, Math.max(0, Math.floor(progress))) : null,
    message: typeof message === 'string' ? message.slice(0, maxMessage) : null,
  };
}
