import { now } from '../data/clock.ts';
import { recordOf, titleOf } from '../data/records.ts';
import { Clause } from '../parts/clause.tsx';
import { bytesText } from '../parts/sizes.ts';
import { dayText, secondText, spanText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { type AttemptRow, agentOf, hostOf } from './run-records.ts';

/** What or who started an attempt. */
export function StartedBy({ job: { trigger, launched_by } }: { readonly job: AttemptRow }) {
  const { triggers, byUser, byAnother } = words.value.runs;
  const text = triggers[trigger] ?? trigger;
  if (launched_by === null) return text;
  // Those who may not see the users of others learn that it was a person.
  const user = recordOf('User', launched_by);
  return user === undefined ? text : `${text}, ${user ? byUser(titleOf(user)) : byAnother}`;
}

/** Writes when an attempt ran, and where: `13:50:00 – 13:50:05 on host-a`. */
export function attemptTimes({ started_at, finished_at, scheduled_at, worker }: AttemptRow, day: string): string {
  const text = words.value.runs;
  const at = (time: string) => {
    const instant = Date.parse(time);
    return dayText(instant) === day ? secondText(instant) : `${dayText(instant)}, ${secondText(instant)}`;
  };
  if (started_at === null)
    return finished_at === null ? text.dueAt(at(scheduled_at)) : text.notStarted(at(finished_at));
  const span = finished_at === null ? text.sinceTime(at(started_at)) : `${at(started_at)} – ${at(finished_at)}`;
  if (worker === null) return span;
  const agent = agentOf(worker);
  return agent === null ? text.onHost(span, hostOf(worker)) : text.onAgent(span, agent);
}

/** Writes how long an attempt ran, or runs; null = it has not started. */
export function durationText({ started_at, finished_at }: AttemptRow, now: number): string | null {
  if (started_at === null) return null;
  const duration = (finished_at === null ? now : Date.parse(finished_at)) - Date.parse(started_at);
  return duration < 1000 && finished_at !== null ? words.value.runs.underSecond : spanText(duration);
}

/** How an attempt went: exit code or signal, reason, duration and memory. */
export function AttemptOutcome({ job }: { readonly job: AttemptRow }) {
  const text = words.value.runs;
  const { state, exit_code, signal, reason, peak_memory, message } = job;
  const code = exit_code === null || state === 'succeeded' ? null : text.exitCode(exit_code);
  const parts = [
    words.value.states[state] ?? state,
    // A reason that says the code is enough.
    reason?.includes(`exit code ${exit_code}`) ? null : code,
    signal !== null && !reason?.includes(signal) ? signal : null,
    reason && <Clause of={reason} />,
    durationText(job, now.value),
    peak_memory === null ? null : text.peak(bytesText(peak_memory)),
    state === 'running' ? message : null,
  ];
  return parts
    .filter((part) => part !== null && part !== '')
    .map((part, index) => (
      <span key={index}>
        {index > 0 && ' · '}
        {part}
      </span>
    ));
}
