import { resume } from '../acts/pause-acts.tsx';
import { hrefOf } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { mayIn } from '../data/may.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useOwnChanges, useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { exactText, momentText, spanText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import type { OutlookAnswer, PauseInForce, ProblemOfSummary, StartAnswer, SummaryAnswer } from './answers.ts';
import { DueBy } from './due-by.tsx';
import { PausedBy } from './paused-by.tsx';
import { startText } from './start-text.ts';

/** How many of the next runs are shown. */
const shown = 6;

/** Runs of the same name that start at the same time, such as those of one template for each company. */
interface Start extends StartAnswer {
  readonly companies: number;
}

function startsOf(runs: readonly StartAnswer[]): Start[] {
  const groups = Map.groupBy(runs, ({ at, name }) => `${at} ${name}`);
  return [...groups.values()]
    .slice(0, shown)
    .map((group) => ({ ...(group[0] as StartAnswer), companies: group.length }));
}

interface NextProps {
  readonly outlook: OutlookAnswer;
  readonly summary: SummaryAnswer;
}

/** What starts next, and what is paused. */
export function Next({ outlook, summary }: NextProps) {
  const text = words.value.now;
  const steady = useSteady(startsOf(outlook.next), ({ at, runtemplate_id }) => `${at} ${runtemplate_id}`);
  const [own, changing] = useOwnChanges(summary.pauses.map(({ id }) => id));
  const pauses = useSteady(summary.pauses, ({ id }) => id, own);
  const current = new Set(summary.pauses.map(({ id }) => id));
  const { count } = outlook.rest_of_day;
  return (
    <section class="next">
      <h2>
        {text.nextTitle} <span>{count > 0 && text.nextToday(count)}</span>
      </h2>
      {steady.rows.length === 0 && <p class="soft">{text.noNext}</p>}
      {steady.rows.length > 0 && (
        <Rows of={steady} label={text.nextTitle}>
          {(run) => <StartRow key={`${run.at} ${run.runtemplate_id}`} run={run} problems={summary.problems} />}
        </Rows>
      )}
      {pauses.rows.length > 0 && (
        <Rows of={pauses} label={text.paused}>
          {(pause) => <PauseRow key={pause.id} pause={pause} isOver={!current.has(pause.id)} changing={changing} />}
        </Rows>
      )}
      {summary.paused > summary.pauses.length && (
        <p class="small">{text.furtherPauses(summary.paused - summary.pauses.length)}</p>
      )}
    </section>
  );
}

function StartRow({ run, problems }: { readonly run: Start; readonly problems: readonly ProblemOfSummary[] }) {
  const text = words.value.now;
  const { at, runtemplate_id, name, company, companies, usual_duration, deadline } = run;
  const trouble = problems.find(
    (problem) => problem.runtemplate_id === runtemplate_id && problem.recovered_at === null,
  );
  const start = Date.parse(at);
  return (
    <Row
      lead={<b>{momentText(start, now.value)}</b>}
      title={name ?? '…'}
      {...(companies === 1 && { href: hrefOf(`/templates/${runtemplate_id}`) })}
      under={
        <>
          {companies > 1 ? text.companies(companies) : <bdi>{company}</bdi>}
          {usual_duration !== null && usual_duration >= 1000 && ` · ${text.usually(spanText(usual_duration))}`}
          {deadline !== null && companies === 1 && (
            <>
              {' · '}
              <DueBy at={deadline} />
            </>
          )}
          {trouble && text.troubles[trouble.kind] !== undefined && ` · ${text.troubles[trouble.kind]}`}
        </>
      }
      acts={
        <time class="soft" dateTime={at} title={exactText(start)}>
          {startText(start, now.value)}
        </time>
      }
    />
  );
}

interface PauseRowProps {
  readonly pause: PauseInForce;
  readonly isOver: boolean;
  /** Tells the list that the reader changes it. */
  readonly changing: () => void;
}

function PauseRow({ pause, isOver, changing }: PauseRowProps) {
  const text = words.value.now;
  const { runtemplate_id, company_id } = pause;
  const name = pause.name ?? (company_id === null ? text.everything : (pause.company ?? ''));
  return (
    <Row
      lead={<span class="soft">{text.paused}</span>}
      title={name}
      {...(runtemplate_id !== null && { href: hrefOf(`/templates/${runtemplate_id}`) })}
      under={
        isOver ? (
          text.hasEnded
        ) : (
          <>
            {runtemplate_id !== null && (
              <>
                <bdi>{pause.company}</bdi>
                {' · '}
              </>
            )}
            <PausedBy of={pause} />
          </>
        )
      }
      acts={
        !isOver &&
        mayIn(company_id, 'operator') && (
          <Act shortcut="p" label={`${text.resume}: ${name}`} act={() => resume(pause, name, changing)}>
            {text.resume}
          </Act>
        )
      }
    />
  );
}
