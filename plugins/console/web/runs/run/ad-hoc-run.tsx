import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askAndCancel, runAgain, startNow } from '../../acts/run-acts.ts';
import { go, hrefOf } from '../../app/router.ts';
import { useLive } from '../../data/answer.ts';
import { mayIn } from '../../data/may.ts';
import { recordOf } from '../../data/records.ts';
import { inOwnZone } from '../../data/request.ts';
import { kindsOfChanges, type WhyAnswer } from '../../data/why.ts';
import { Act } from '../../parts/act.tsx';
import { Answered } from '../../parts/answered.tsx';
import { Clause, sentenceOf } from '../../parts/clause.tsx';
import { titleAt } from '../../parts/text/title.ts';
import { dayText, timeText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { runWithValues } from '../ask-values.tsx';
import { StartedBy } from '../attempt-text.tsx';
import { type AttemptDetail, isAttemptEnded, type TemplateRecord } from '../run-records.ts';
import { RunBody } from './run-body.tsx';
import { WhyButton, WhyPanel } from './why-panel.tsx';

const liveInterval = 2000;

/** What a job did that no window owed. One of a Task is shown with the other attempts at it. */
export function AdHocRun({ parts: [id = ''] }: { readonly parts: readonly string[] }) {
  const isLive = useSignal(true);
  const job = useLive<AttemptDetail>(`/job/${id}.json`, {
    kinds: [`Job ${id}`],
    ...(isLive.value && { every: liveInterval }),
  });
  useEffect(() => {
    isLive.value = !job.value || !isAttemptEnded(job.value);
  }, [job.value]);
  const taskId = job.value?.task_id ?? null;
  useEffect(() => {
    if (taskId !== null) go(`/runs/${taskId}?attempt=${id}`, true);
  }, [taskId]);
  if (taskId !== null) return null;
  return <Answered of={job}>{(value) => <JobView key={value.id} job={value} />}</Answered>;
}

function JobView({ job }: { readonly job: AttemptDetail }) {
  const text = words.value.runs;
  const { id, runtemplate_id, company_id, state } = job;
  const template = recordOf('RunTemplate', runtemplate_id) as TemplateRecord | null | undefined;
  const name = titleAt('RunTemplate', runtemplate_id);
  const why = useLive<WhyAnswer>(inOwnZone(`/job/${id}/why.json`), { kinds: [`Job ${id}`, ...kindsOfChanges] });
  const at = Date.parse(job.started_at ?? job.scheduled_at);
  const of = { runtemplate_id };
  return (
    <>
      <nav class="crumbs" aria-label={text.path}>
        <a href={hrefOf('/jobs')}>{text.adHoc}</a> ›{' '}
        <a href={hrefOf(`/templates/${runtemplate_id}`)}>
          <bdi>{name}</bdi>
        </a>
      </nav>
      <h1>
        {`${dayText(at)}, ${timeText(at)}`} <b class={`is-${state}`}>{words.value.states[state] ?? state}</b>
      </h1>
      <p class="sub">
        {job.reason !== null && <Clause of={sentenceOf(job.reason)} />} {text.startedBy}: <StartedBy job={job} />.
      </p>
      <p class="acts head">
        {mayIn(company_id, 'operator') && (
          <>
            {isAttemptEnded(job) && (
              <Act primary shortcut="r" act={() => runAgain(of, name, { opens: true })}>
                {text.runAgain}
              </Act>
            )}
            {isAttemptEnded(job) && template && (
              <Act
                label={text.runWith}
                act={() => runWithValues({ of, name, templateId: runtemplate_id, appId: job.app_id, opens: true })}
              >
                {text.withOthers}
              </Act>
            )}
            {state === 'scheduled' && (
              <Act primary shortcut="r" act={() => startNow(id, name)}>
                {text.runNow}
              </Act>
            )}
            {!isAttemptEnded(job) && <Act act={() => askAndCancel(job, name)}>{text.cancel}</Act>}
          </>
        )}
        <span class="spacer" />
        <WhyButton of={why} />
      </p>
      <WhyPanel of={why} name={isAttemptEnded(job) ? null : name} />
      <RunBody
        taskId={null}
        templateId={runtemplate_id}
        companyId={company_id}
        jobs={[job]}
        day={dayText(at)}
        since={why.value?.since_success ?? null}
        usual={template?.usual_duration ? template.usual_duration * 1000 : null}
      />
    </>
  );
}
