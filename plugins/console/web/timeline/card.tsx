import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { runAgain } from '../acts/run-acts.ts';
import { go, hrefOf } from '../app/router.ts';
import { useLive, useLivePage } from '../data/answer.ts';
import { now } from '../data/clock.ts';
import { mayIn } from '../data/may.ts';
import { Act } from '../parts/act.tsx';
import { Clause, clauseOr } from '../parts/clause.tsx';
import { Dot } from '../parts/dot.tsx';
import { Said } from '../parts/text/said.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { momentText, spanText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { countsOf, heldAt, heldText, holdOf, pauseDuring, stateOf, untilText, windowText } from './describe.ts';
import { indexOf, startOf } from './picture/finding.ts';
import type { PictureRow } from './picture/marks.ts';
import { moveTo, view } from './view.ts';

interface CardProps {
  readonly row: PictureRow;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Whether it stays, so that its buttons can be pressed. */
  readonly isChosen: boolean;
}

/** What a window or slot is about: its state, why, its attempts, and what can be done. */
export function Card({ row, at, isChosen }: CardProps) {
  const index = indexOf(row, at);
  if (index < 0) return <HeldCard row={row} at={at} />;
  return row.marks ? (
    <WindowCard row={row} index={index} isChosen={isChosen} />
  ) : (
    <SlotCard row={row} index={index} isChosen={isChosen} />
  );
}

interface PartProps {
  readonly row: PictureRow;
  readonly index: number;
  readonly isChosen: boolean;
}

function Title({ row, window }: { readonly row: PictureRow; readonly window?: string }) {
  return (
    <p>
      <b>
        <bdi>{row.name}</bdi>
      </b>
      {window !== undefined && `, ${window}`}
    </p>
  );
}

function WindowCard({ row, index, isChosen }: PartProps) {
  const { timeline, states } = words.value;
  const { marks } = row;
  if (!marks) return null;
  const state = stateOf(row, index, now.value);
  const [start, end, deadline] = [marks.start[index] ?? 0, marks.end[index] ?? 0, marks.deadline[index] ?? 0];
  const id = marks.id[index] ?? 0;
  // Why a run was cancelled says it already.
  const hold = holdOf(row, index, now.value) ?? (state === 'cancelled' ? undefined : pauseDuring(row, start, deadline));
  const due = momentText(marks.due[index] ?? 0, now.value);
  return (
    <>
      <Title row={row} window={windowText(start, end, now.value)} />
      <p class="state">
        <Dot state={state} named={false} /> <span class={`word is-${state}`}>{states[state] ?? state}</span>
        {state === 'held' ? (
          `: ${timeline.doesNotRun(due)}`
        ) : (
          <>
            {id > 0 ? <Ended id={id} /> : ` ${due}`}, {timeline.due(untilText(start, deadline, now.value))}
          </>
        )}
      </p>
      {id > 0 ? (
        <Attempts id={id} />
      ) : (
        state !== 'held' && row.usual !== null && <p class="soft">{timeline.usual(spanText(row.usual))}</p>
      )}
      {hold && <p class="soft">{heldText(hold, now.value)}</p>}
      {isChosen && (
        <div class="acts">
          <a class="button" href={hrefOf(id > 0 ? `/runs/${id}` : `/templates/${row.id}`)}>
            {id > 0 ? timeline.open : timeline.openTemplate}
            <span class="key" aria-hidden="true">
              Enter
            </span>
          </a>
          {id > 0 && mayIn(row.company_id, 'operator') && ['failed', 'missed', 'cancelled'].includes(state) && (
            <Act shortcut="r" act={() => runAgain({ task_id: id }, row.name)}>
              {timeline.runAgain}
            </Act>
          )}
        </div>
      )}
    </>
  );
}

interface TaskRecord {
  readonly ended_at: string | null;
  readonly reason: string | null;
}

/** When a run ended. */
function Ended({ id }: { readonly id: number }) {
  const { value } = useLive<TaskRecord>(useRested(`/task/${id}.json`), { kinds: ['Task'] });
  return value?.ended_at ? ` ${momentText(Date.parse(value.ended_at), now.value)}` : null;
}

interface JobRecord {
  readonly id: number;
  readonly state: string;
  readonly reason: string | null;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

const maxAttempts = 5;

/** The attempts of a run, and why it is as it is. */
function Attempts({ id }: { readonly id: number }) {
  const { timeline } = words.value;
  const { value: task } = useLive<TaskRecord>(useRested(`/task/${id}.json`), { kinds: ['Task'] });
  const jobs = useLivePage<JobRecord>(useRested(`/jobs.json?task_id=${id}&order=id&limit=${maxAttempts + 1}`), {
    kinds: ['Job'],
  });
  if (!jobs.value)
    return (
      <p class="soft">
        <Said of={jobs.error ?? words.value.shell.loading} />
      </p>
    );
  const attempts = jobs.value.rows.slice(0, maxAttempts);
  const isSaid = attempts.some(({ reason }) => reason === task?.reason);
  return (
    <>
      {attempts.length > 0 && (
        <p class="soft">
          {timeline.attempts(Number.parseInt(jobs.value.total, 10))}{' '}
          {attempts.map((job, index) => (
            <span key={job.id}>
              {index > 0 && ', '}
              <Attempt of={job} />
            </span>
          ))}
          {jobs.value.rows.length > maxAttempts && ', …'}
        </p>
      )}
      {task?.reason && !isSaid && (
        <p class="soft">
          <Clause of={task.reason} />
        </p>
      )}
    </>
  );
}

/** How an attempt went, and how long it took or takes. */
function Attempt({ of: { state, reason, started_at, finished_at } }: { readonly of: JobRecord }) {
  const { timeline } = words.value;
  const what = clauseOr(reason, timeline.attemptStates[state] ?? state);
  if (started_at === null) return what;
  const span = spanText((finished_at === null ? now.value : Date.parse(finished_at)) - Date.parse(started_at));
  return <Sentence of={finished_at === null ? timeline.runsFor : timeline.after} with={{ what, span }} />;
}

/** How long the pointer rests before more is read, in milliseconds. */
const restTime = 120;

/** Returns a path once it has stayed for a moment: a pointer that passes by reads nothing. */
function useRested(path: string): string | null {
  const rested = useSignal<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      rested.value = path;
    }, restTime);
    return () => clearTimeout(timer);
  }, [path]);
  return rested.value === path ? path : null;
}

function SlotCard({ row, index, isChosen }: PartProps) {
  const { timeline, states } = words.value;
  const { bars } = row;
  if (!bars) return null;
  const start = startOf(row, index);
  const hold = pauseDuring(row, start, start + bars.slot);
  return (
    <>
      <Title row={row} window={windowText(start, start + bars.slot, now.value)} />
      <ul class="counts">
        {countsOf(row, index).map(([state, count]) => (
          <li key={state}>
            <Dot state={state} named={false} /> {words.value.number(count)} {states[state] ?? state}
          </li>
        ))}
      </ul>
      {hold && <p class="soft">{heldText(hold, now.value)}</p>}
      {isChosen && (
        <div class="acts">
          <button type="button" onClick={() => showOneByOne(row, index)}>
            {timeline.oneByOne}
            <span class="key" aria-hidden="true">
              Enter
            </span>
          </button>
        </div>
      )}
    </>
  );
}

/** How many runs of a row are seen one by one. */
const comfortable = 60;

/** Zooms to a slot, as far as its runs can be told apart. */
export function showOneByOne(row: PictureRow, index: number): void {
  const { bars } = row;
  const count = bars?.total[index] ?? 0;
  if (!bars || count === 0) return;
  const span = Math.min(view.peek().span / 2, Math.max(bars.slot, (comfortable * bars.slot) / count));
  moveTo({ from: startOf(row, index) + bars.slot / 2 - span / 2, span });
}

/** Why nothing is there. */
function HeldCard({ row, at }: { readonly row: PictureRow; readonly at: number }) {
  const { timeline } = words.value;
  const hold = heldAt(row, at);
  return (
    <>
      <Title row={row} />
      {hold && <p class="soft">{heldText(hold, now.value)}</p>}
      {row.off !== null && <p class="soft">{timeline.off[row.off] ?? row.off}</p>}
    </>
  );
}

/** Opens a run, or the template of a window that has none yet. */
export function open(row: PictureRow, index: number): void {
  const id = row.marks?.id[index] ?? 0;
  if (row.bars) showOneByOne(row, index);
  else go(id > 0 ? `/runs/${id}` : `/templates/${row.id}`);
}
