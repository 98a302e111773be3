import { setQuery } from '../../app/router.ts';
import { now } from '../../data/clock.ts';
import { recordOf } from '../../data/records.ts';
import { Clause } from '../../parts/clause.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Name } from '../../parts/name.tsx';
import { CommandLine } from '../../parts/text/command-line.tsx';
import { spanText } from '../../parts/times.ts';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';
import { AttemptOutcome, attemptTimes, StartedBy } from '../attempt-text.tsx';
import type { AttemptDetail, AttemptRow } from '../run-records.ts';

interface AttemptsProps {
  readonly jobs: readonly AttemptRow[];
  /** The one whose output is shown. */
  readonly chosen: number | null;
  /** How long the job of this template usually takes, in milliseconds; null = not known. */
  readonly usual: number | null;
  /** The day of the run: times of that day stand without it. */
  readonly day: string;
}

/** The attempts of a run below each other, so that they can be compared; choosing one shows its output. */
export function Attempts({ jobs, chosen, usual, day }: AttemptsProps) {
  const text = words.value.runs;
  return (
    <ul class="rows attempts" aria-label={text.attempts}>
      {jobs.map((job) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard moves from row to row.
        <li key={job.id} data-row="" tabIndex={0} class={job.id === chosen ? 'chosen' : undefined}>
          <span class="lead">
            <Dot state={job.state} named={false} />
          </span>
          <div class="what">
            <button
              type="button"
              class="link"
              data-open=""
              data-key="o"
              aria-pressed={job.id === chosen}
              onClick={() => setQuery({ attempt: String(job.id), line: null, find: null, compare: null })}
            >
              {job.attempt} · {attemptTimes(job, day)}
            </button>
            <small>
              <AttemptOutcome job={job} /> · <StartedBy job={job} />
            </small>
            {job.state === 'running' && job.started_at !== null && (
              <Progress job={job} started={Date.parse(job.started_at)} usual={usual} />
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

interface ProgressProps {
  readonly job: AttemptRow;
  readonly started: number;
  readonly usual: number | null;
}

function Progress({ job: { progress }, started, usual }: ProgressProps) {
  const text = words.value.runs;
  const share = progress ?? (usual ? Math.min(95, Math.round((100 * (now.value - started)) / usual)) : null);
  return (
    <>
      {usual !== null && usual >= 1000 && <small>{text.usually(spanText(usual))}</small>}
      {share !== null && (
        <div class="bar is-running" role="progressbar" aria-label={text.progress} aria-valuenow={share}>
          <span style={{ width: `${share}%` }} />
        </div>
      )}
    </>
  );
}

/** What is known of an attempt besides. */
export function AttemptDetails({ job }: { readonly job: AttemptDetail }) {
  const text = words.value.runs;
  const { environment, arguments: args, command, worker, started_at, scheduled_at } = job;
  const values = Object.entries(environment);
  return (
    <details class="more-facts">
      <summary>{text.details}</summary>
      <Facts
        of={[
          [text.startedBy, <StartedBy key="by" job={job} />],
          [text.waitsFor, job.waiting_reason && <Clause key="waits" of={job.waiting_reason} />],
          [text.command, command === null ? null : <CommandLine words={[command, ...(args ?? [])]} />],
          [text.app, recordOf('App', job.app_id) && <Name key="app" of="App" id={job.app_id} link />],
          [text.version, job.app_version],
          [text.executor, job.executor],
          [text.worker, worker],
          [text.scheduled, <When key="due" at={scheduled_at} as="moment" />],
          [
            text.waitedFor,
            started_at === null ? null : spanText(Math.max(0, Date.parse(started_at) - Date.parse(scheduled_at))),
          ],
          [
            text.environment,
            values.length === 0 ? null : (
              <ul class="values">
                {values.map(([name, value]) => (
                  <li key={name}>
                    <code>
                      {name}={value}
                    </code>
                  </li>
                ))}
              </ul>
            ),
          ],
          [text.job, String(job.id)],
        ]}
      />
    </details>
  );
}
