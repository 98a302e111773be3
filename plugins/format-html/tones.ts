/** How a state is to be taken at a glance. */
export type Tone = 'good' | 'late' | 'bad' | 'busy' | 'idle';

const words: Readonly<Record<Tone, string>> = {
  good: 'fulfilled succeeded success ok',
  late: 'fulfilled_late warning',
  bad: 'failed missed lost timed_out error critical unavailable delete',
  busy: 'running info',
  idle: 'open scheduled skipped cancelled',
};

const tones = new Map(
  Object.entries(words).flatMap(([tone, each]) => each.split(' ').map((word) => [word, tone as Tone] as const)),
);

/** Undefined for words that are no state. */
export function toneOf(word: string): Tone | undefined {
  return tones.get(word);
}
