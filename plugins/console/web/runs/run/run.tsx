import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askAndCancel, askAndWaive, runAgain, startNow } from '../../acts/run-acts.ts';
import { hrefOf, setQuery } from '../../app/router.ts';
import { useLive } from '../../data/answer.ts';
import { now } from '../../data/clock.ts';
import { mayIn } from '../../data/may.ts';
import { recordOf } from '../../data/records.ts';
import { inOwnZone } from '../../data/request.ts';
import { kindsOfChanges, type WhyAnswer } from '../../data/why.ts';
import { Act } from '../../parts/act.tsx';
import { Answered } from '../../parts/answered.tsx';
import { Clause, sentenceOf } from '../../parts/clause.tsx';
import { Sentence } from '../../parts/text/sentence.tsx';
import { titleAt } from '../../parts/text/title.ts';
import { dayText, ownZone } from '../../parts/times.ts';
import { When } from '../../parts/when.tsx';
import { isolated } from '../../words/direction.ts';
import { words } from '../../words/words.ts';
import { runWithValues } from '../ask-values.tsx';
import {
  isAttemptEnded,
  isRunEnded,
  type RunDetail,
  type RunRow,
  shownState,
  type TemplateRecord,
} from '../run-records.ts';
import { windowText } from '../window-text.ts';
import { RunBody } from './run-body.tsx';
import { StreakChip } from './streak-chip.tsx';
import { WhyButton, WhyPanel } from './why-panel.tsx';

/** How often what no change tells of is read while a run is live, in milliseconds: its progress. */
const liveInterval = 2000;

/** What happened in a window of a template, and why. */
export function Run({ parts: [id = ''] }: { readonly parts: readonly string[] }) {
  const isLive = useSignal(true);
  const run = useLive<RunDetail>(`/task/${id}.json`, {
    // A repetition is a new job.
    kinds: [`Task ${id}`, 'Job'],
    ...(isLive.value && { every: liveInterval }),
  });
  useEffect(() => {
    isLive.value = !run.value || isRunLive(run.value);
  }, [run.value]);
  return <Answered of={run}>{(value) => <RunView key={value.id} run={value} />}</Answered>;
}

/** Whether anything may still happen by itself. */
function isRunLive(run: RunDetail): boolean {
  return !isRunEnded(run) || run.jobs.some((job) => !isAttemptEnded(job));
}

/** The records that decide what a run waits for, beside those whose changes are listed. */
const kindsOfWhy = ['Job', 'Pause', 'Calendar'];

function RunView({ run }: { readonly run: RunDetail }) {
  const text = words.value.runs;
  const { id, runtemplate_id, company_id } = run;
  const template = recordOf('RunTemplate', runtemplate_id) as TemplateRecord | null | undefined;
  const name = titleAt('RunTemplate', runtemplate_id);
  const state = shownState(run, now.value);
  const [start, end] = [Date.parse(run.window_start), Date.parse(run.window_end)];
  const window = windowText(start, end);
  const why = useLive<WhyAnswer>(inOwnZone(`/task/${id}/why.json`), {
    kinds: [`Task ${id}`, ...kindsOfChanges, ...(isRunLive(run) ? kindsOfWhy : [])],
  });
  const ownWindow = template && windowText(start, end, template.timezone);
  useEffect(() => {
    document.title = `${name}, ${window} · Horarium`;
    return () => {
      document.title = 'Horarium';
    };
  }, [name, window]);
  return (
    <>
      <nav class="crumbs" aria-label={text.path}>
        <a href={hrefOf('/templates')}>{words.value.nav.templates}</a> ›{' '}
        <a href={hrefOf(`/templates/${runtemplate_id}`)}>
          <bdi>{name}</bdi>
        </a>
      </nav>
      <h1>
        {text.window(window)} <b class={`is-${state}`}>{words.value.states[state] ?? state}</b>
      </h1>
      <p class="sub">
        <Reason run={run} why={why.value} /> {text.dueWas(isRunEnded(run) || Date.parse(run.deadline) < now.value)}{' '}
        <When at={run.deadline} as="moment" />.{' '}
        {template && template.timezone !== ownZone && ownWindow !== window && (
          <>{text.inZone(ownWindow ?? '', template.timezone)} </>
        )}
        {run.backfilled && <>{text.backfilled} </>}
        <StreakChip run={run} />
      </p>
      <p class="acts head">
        {mayIn(company_id, 'operator') && (
          <RunActs run={run} name={`${isolated(name)}, ${window}`} template={template} />
        )}
        <span class="spacer" />
        <WhyButton of={why} />
      </p>
      <WhyPanel of={why} name={isRunEnded(run) ? null : name} />
      <RunBody
        taskId={id}
        templateId={runtemplate_id}
        companyId={company_id}
        jobs={run.jobs}
        day={dayText(start)}
        since={why.value?.since_success ?? null}
        usual={template?.usual_duration ? template.usual_duration * 1000 : null}
      />
    </>
  );
}

/** Why it is as it is: how it ended, or what it waits for. */
function Reason({ run, why }: { readonly run: RunRow; readonly why: WhyAnswer | undefined }) {
  const hindrance = why?.conditions.find(({ met }) => !met) ?? why?.conditions.at(-1);
  const waits = hindrance && <Sentence of={words.value.runs.waits} with={{ clause: <Clause of={hindrance.text} /> }} />;
  if (!isRunEnded(run)) return <>{run.state === 'running' ? '' : waits}</>;
  return (
    <>
      {run.reason !== null && <Clause of={sentenceOf(run.reason)} />} {run.state !== 'cancelled' && waits}
    </>
  );
}

interface RunActsProps {
  readonly run: RunDetail;
  readonly name: string;
  readonly template: TemplateRecord | null | undefined;
}

/** What an operator can do with a run: those alone that make sense now. */
function RunActs({ run, name, template }: RunActsProps) {
  const text = words.value.runs;
  const of = { task_id: run.id };
  const live = run.jobs.find((job) => !isAttemptEnded(job));
  const isEnded = isRunEnded(run);
  const toNewest = () => setQuery({ attempt: null, line: null, find: null, compare: null });
  return (
    <>
      {isEnded && !live && (
        <Act
          primary
          shortcut="r"
          act={async () => {
            await runAgain(of, name);
            toNewest();
          }}
        >
          {text.runAgain}
        </Act>
      )}
      {live?.state === 'scheduled' && (
        <Act primary shortcut="r" act={() => startNow(live.id, name)}>
          {text.runNow}
        </Act>
      )}
      {isEnded && !live && template && (
        <Act
          label={text.runWith}
          act={async () => {
            const { id: templateId, app_id } = template;
            const job = await runWithValues({ of, name, templateId, appId: Number(app_id) });
            if (job) toNewest();
          }}
        >
          {text.withOthers}
        </Act>
      )}
      {live?.state === 'running' && <Act act={() => askAndCancel(live, name)}>{text.cancel}</Act>}
      {!isEnded && <Act act={() => askAndWaive(run.id, name, live?.state === 'running')}>{text.waive}</Act>}
    </>
  );
}
