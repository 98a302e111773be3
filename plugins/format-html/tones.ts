/** The meaning of a state, which the style shows as a colour. */
export type Tone = 'good' | 'late' | 'bad' | 'busy' | 'idle';

const states: Readonly<Record<Tone, string>> = {
  good: 'fulfilled succeeded success ok',
  late: 'fulfilled_late warning',
  bad: 'failed missed lost timed_out error critical unavailable delete',
  busy: 'running info',
  idle: 'open scheduled skipped cancelled',
};

const tones = new Map(
  Object.entries(states).flatMap(([tone, names]) => names.split(' ').map((state) => [state, tone as Tone] as const)),
);

/** The tone of a state; undefined for any other text. */
export function toneOf(state: string): Tone | undefined {
  return tones.get(state);
}
