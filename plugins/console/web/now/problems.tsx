import { useSignal } from '@preact/signals';
import { resume } from '../acts/pause-acts.tsx';
import { askAndWaive, runAgain } from '../acts/run-acts.ts';
import { UndoButton } from '../acts/undo-button.tsx';
import { hrefOf, query, setQuery } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { mayIn } from '../data/may.ts';
import { changesToTell, foremostOf } from '../data/why.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Act, ActLink } from '../parts/act.tsx';
import { Clause } from '../parts/clause.tsx';
import { momentText } from '../parts/times.ts';
import { capitalized, words } from '../words/words.ts';
import type { OutlookAnswer, ProblemOfSummary, SummaryAnswer } from './answers.ts';
import { pauseHolding, runView } from './answers.ts';
import { DueBy } from './due-by.tsx';
import { Evidence } from './evidence.tsx';
import { explanationOf } from './explanations.ts';
import { PausedBy } from './paused-by.tsx';
import { Why } from './why.tsx';

/** How many problems are shown at first. What is known of the others is asked for once they are unfolded. */
const shownFirst = 10;

interface ProblemsProps {
  readonly title: string;
  /** The parameter of the query that has all of them shown. */
  readonly name: string;
  readonly problems: readonly ProblemOfSummary[];
  readonly summary: SummaryAnswer;
  readonly outlook: OutlookAnswer | undefined;
  /** The Tasks that run at this moment. */
  readonly running: ReadonlySet<number | null>;
}

/** Problems with what is known of each, and its remedy. */
export function Problems({ title, name, problems, ...rest }: ProblemsProps) {
  const text = words.value.now;
  const steady = useSteady(problems, keyOf);
  const isAll = query.value.get(name) === 'all';
  const rows = isAll ? steady.rows : steady.rows.slice(0, shownFirst);
  const first = new Set(rows.slice(0, shownFirst));
  const current = new Set(problems.map(keyOf));
  if (steady.rows.length === 0) return null;
  return (
    <section class="problems">
      <h2>
        {title} <span>{words.value.number(problems.length)}</span>
      </h2>
      <Rows of={{ ...steady, rows }} label={title}>
        {(problem) => (
          <ProblemRow
            key={keyOf(problem)}
            problem={problem}
            isSolved={!current.has(keyOf(problem))}
            isFirst={first.has(problem)}
            {...rest}
          />
        )}
      </Rows>
      {rows.length < steady.rows.length && (
        <button type="button" class="plain more" onClick={() => setQuery({ [name]: 'all' })}>
          {text.showAll(steady.rows.length)}
        </button>
      )}
    </section>
  );
}

function keyOf({ kind, task_id, runtemplate_id, reason }: ProblemOfSummary): string {
  return `${kind} ${task_id ?? runtemplate_id ?? reason}`;
}

interface ProblemRowProps extends Pick<ProblemsProps, 'summary' | 'outlook' | 'running'> {
  readonly problem: ProblemOfSummary;
  /** Whether it is none any more, and is shown so that nothing moves. */
  readonly isSolved: boolean;
  readonly isFirst: boolean;
}

function ProblemRow({ problem, isSolved, isFirst, summary, outlook, running }: ProblemRowProps) {
  const { now: text, runs } = words.value;
  const { kind, task_id, runtemplate_id, company_id, count, deadline, reason, recovered_at, fulfilled_since } = problem;
  const isOpen = useSignal(false);
  const explanation = isFirst || isOpen.value ? explanationOf(problem) : null;
  const name = problem.name ?? text.service;
  const view = runView(problem) ?? (runtemplate_id === null ? null : `/templates/${runtemplate_id}`);
  const state = kind === 'late' ? 'fulfilled_late' : kind;
  const isUnmet = kind === 'failed' || kind === 'missed';
  const isRunning = task_id !== null && running.has(task_id);
  const mayRun = mayIn(company_id, 'operator');
  const pause = pauseHolding(summary.pauses, runtemplate_id, company_id);
  const change = foremostOf(changesToTell(explanation?.since_success?.changes ?? []));
  const acts = !isSolved && (
    <>
      {pause && mayIn(pause.company_id, 'operator') && (
        <Act primary shortcut="p" label={`${text.resume}: ${name}`} act={() => resume(pause, name)}>
          {text.resume}
        </Act>
      )}
      {isUnmet && runtemplate_id !== null && mayRun && !pause && (
        <Act
          primary
          disabled={isRunning}
          shortcut="r"
          label={`${runs.runAgain}: ${name}`}
          act={() => runAgain(task_id === null ? { runtemplate_id } : { task_id }, name)}
        >
          {runs.runAgain}
        </Act>
      )}
      {task_id !== null && kind !== 'missed' && (
        <ActLink shortcut="o" label={`${text.output}: ${name}`} href={hrefOf(`/runs/${task_id}`)}>
          {text.output}
        </ActLink>
      )}
      {isUnmet && change?.undone_by === null && (
        <UndoButton of={change} companyId={company_id} label={`${text.undo}: ${name}`}>
          {text.undo}
        </UndoButton>
      )}
      {!isUnmet && kind !== 'late' && task_id !== null && mayRun && (
        <Act label={`${runs.waive} ${name}`} act={() => askAndWaive(task_id, name, isRunning)}>
          {runs.waive}
        </Act>
      )}
      {runtemplate_id !== null && (
        <Act
          shortcut="w"
          label={`${text.why} ${name}`}
          expanded={isOpen.value}
          act={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {text.why}
        </Act>
      )}
    </>
  );
  return (
    <Row
      state={state}
      title={name}
      {...(view !== null && { href: hrefOf(view) })}
      under={
        <>
          <bdi>{problem.company}</bdi>
          {deadline !== null && (
            <>
              {problem.company !== null && ' · '}
              <DueBy at={deadline} />
            </>
          )}
          {recovered_at !== null && (
            <>
              {' · '}
              <b>{text.succeededSince(momentText(Date.parse(recovered_at), now.value), fulfilled_since)}</b>
            </>
          )}
          {pause && (
            <>
              {' · '}
              {text.paused} <PausedBy of={pause} />
            </>
          )}
          {count > 1 && ` · ${text.times(count, task_id === null ? null : (words.value.states[state] ?? kind))}`}
        </>
      }
      acts={acts}
      more={
        isOpen.value && runtemplate_id !== null ? (
          <Why
            templateId={runtemplate_id}
            explanation={explanation}
            pauses={summary.pauses}
            hasEnded={isUnmet || kind === 'late'}
          />
        ) : undefined
      }
    >
      {isSolved ? (
        !pause && text.solved
      ) : (
        <>
          {capitalized(words.value.states[state] ?? kind)}: <Clause of={reason} />
          {isRunning && <>. {text.runsNow}</>}
          <Evidence
            explanation={explanation}
            next={isUnmet ? outlook?.next.find((run) => run.runtemplate_id === runtemplate_id) : undefined}
          />
        </>
      )}
    </Row>
  );
}
