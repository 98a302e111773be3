import { askAndPause, resumeTemplate } from '../acts/pause-acts.tsx';
import { runNow } from '../acts/run-acts.ts';
import { switchOf, switchTo } from '../acts/switch-acts.ts';
import { hrefOf } from '../app/router.ts';
import { TemplateTrail } from '../audit/audit-trail.tsx';
import { useLive, useLivePage } from '../data/answer.ts';
import { now } from '../data/clock.ts';
import { mayIn } from '../data/may.ts';
import { useModel } from '../data/model.ts';
import { recordOf } from '../data/records.ts';
import { inOwnZone } from '../data/request.ts';
import { predicateOf, type WhyAnswer } from '../data/why.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { Clause } from '../parts/clause.tsx';
import { Dot } from '../parts/dot.tsx';
import { Facts } from '../parts/facts.tsx';
import { Name } from '../parts/name.tsx';
import { Schedule } from '../parts/schedule.tsx';
import { momentText } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { runWithValues } from '../runs/ask-values.tsx';
import { words } from '../words/words.ts';
import { Chains } from './chains.tsx';
import { Command } from './command.tsx';
import { DayCalendar } from './day-calendar.tsx';
import { Durations } from './durations.tsx';
import { NextWindows } from './next-windows.tsx';
import { type DaysAnswer, dayOutcomesOf, daysPath, onTimeOf, type Template } from './template-answer.ts';

const shownDays = 91;

const daysOf = (answer: readonly DaysAnswer[] = []) => answer.flatMap((each) => dayOutcomesOf(each, shownDays));

interface StoredTemplate extends Template {
  readonly topics: readonly number[];
  readonly credentials: readonly number[];
  readonly executor: string;
  readonly note: string | null;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly on_failure: readonly { readonly action: string }[];
  readonly on_missed: readonly { readonly action: string }[];
  readonly on_late: readonly { readonly action: string }[];
}

interface RecentTask {
  readonly id: number;
  readonly window_start: string;
  readonly window_end: string;
  readonly state: string;
  readonly reason: string | null;
  readonly ended_at: string | null;
}

/** How one template is doing, when it runs next, and what follows it. */
export function OneTemplate({ parts: [id] }: { readonly parts: readonly string[] }) {
  const template = useLive<StoredTemplate>(`/runtemplate/${id}.json`, { kinds: ['RunTemplate', 'Pause', 'Task'] });
  return <Answered of={template}>{(value) => <Page key={value.id} template={value} />}</Answered>;
}

function Page({ template }: { readonly template: StoredTemplate }) {
  const text = words.value.template;
  const { id, name, company_id, active, pause_id } = template;
  const maySeeApps = useModel()?.resources.some((each) => each.name === 'App' && each.rights.read) ?? false;
  const answer = useLive<readonly DaysAnswer[]>(daysPath([id], shownDays), {
    kinds: ['Task', `RunTemplate ${id}`],
    every: 60_000,
  });
  const why = useLive<WhyAnswer>(inOwnZone(`/runtemplate/${id}/why.json`), {
    kinds: ['RunTemplate', 'Pause', 'App', 'Company', 'Task'],
  });
  const { owed, onTime } = onTimeOf(daysOf(answer.value));
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/templates')}>{words.value.nav.templates}</a> › <Name of="Company" id={company_id} />
      </p>
      <h1>
        <bdi>{name}</bdi>
        {owed > 0 && ': '}
        {owed > 0 && (onTime === owed ? text.allOnTime(owed) : <b>{text.rate(onTime, owed)}</b>)}
      </h1>
      <p class="sub">{why.value && <Clause of={predicateOf(why.value.sentence, name)} />}</p>
      {template.note !== null && <p class="note">{template.note}</p>}
      <div class="acts head">
        {mayIn(company_id, 'operator') && (
          <Act primary shortcut="r" act={() => runNow(id, name)}>
            {text.runNow}
          </Act>
        )}
        {mayIn(company_id, 'operator') && (
          <Act act={() => runWithValues({ name, templateId: id, appId: template.app_id })}>
            {words.value.runs.runFirstWith}
          </Act>
        )}
        {mayIn(company_id, 'operator') && (
          <Act shortcut="p" act={() => (pause_id === null ? askAndPause(template) : resumeTemplate(template))}>
            {pause_id === null ? words.value.templates.pause : words.value.templates.resume}
          </Act>
        )}
        {mayIn(company_id, 'manager') && (
          <a class="button" data-key="e" href={hrefOf(`/templates/${id}/edit`)}>
            {text.edit}
          </a>
        )}
        {mayIn(company_id, 'manager') && (
          <Act act={() => switchTo(switchOf(id), !active, name)}>
            {active ? words.value.templates.deactivate : words.value.templates.activate}
          </Act>
        )}
      </div>
      <Command app={template.app_id} />
      <div class="wide">
        <section>
          <h2>{text.days}</h2>
          <Answered of={answer}>{(value) => value.length > 0 && <DayCalendar days={daysOf(value)} />}</Answered>
          <h2>{text.duration}</h2>
          <Durations template={id} />
          <RecentRuns template={id} />
          <TemplateTrail id={id} app={template.app_id} />
        </section>
        <section>
          <h2>
            {text.next} <span>{template.timezone}</span>
          </h2>
          <NextWindows template={id} zone={template.timezone} pause={pause_id} />
          <Chains template={id} />
          <h2>{text.facts}</h2>
          <Facts
            of={[
              [text.schedule, <Schedule key="schedule" {...template} />],
              [text.deadline, template.deadline ?? text.endOfWindow],
              [
                text.app,
                maySeeApps
                  ? null
                  : recordOf('App', template.app_id) && <Name key="app" of="App" id={template.app_id} />,
              ],
              [text.executor, template.executor],
              [
                text.topics,
                template.topics.length === 0
                  ? null
                  : template.topics.map((topic, index) => (
                      <span key={topic}>
                        {index > 0 && ', '}
                        <Name of="Topic" id={topic} />
                      </span>
                    )),
              ],
              [text.told, toldBy(template)],
              [text.code, template.code === null ? null : <code key="code">{template.code}</code>],
            ]}
          />
          {why.value && (
            <details>
              <summary>{text.why}</summary>
              <ul class="plain">
                {why.value.conditions.map(({ name: condition, met, text: sentence }) => (
                  <li key={condition} class={met ? undefined : 'mistake'}>
                    {met ? '✓' : '✗'} <Clause of={sentence} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </section>
      </div>
    </>
  );
}

/** The actions that tell people of failures, each once. */
function toldBy({ on_failure, on_missed, on_late }: StoredTemplate): string {
  return [...new Set([...on_failure, ...on_missed, ...on_late].map(({ action }) => action))].join(', ');
}

function RecentRuns({ template }: { readonly template: number }) {
  const text = words.value.template;
  const tasks = useLivePage<RecentTask>(`/tasks.json?runtemplate_id=${template}&limit=10`, { kinds: ['Task'] });
  const steady = useSteady(tasks.value?.rows ?? [], ({ id }) => id);
  if (!tasks.value || tasks.value.rows.length === 0) return null;
  return (
    <>
      <h2>
        {text.runs} <a href={hrefOf(`/runs?runtemplate_id=${template}`)}>{text.allRuns}</a>
      </h2>
      <Rows of={steady} label={text.runs}>
        {({ id, window_start, state, reason, ended_at }) => (
          <Row
            key={id}
            lead={<Dot state={state} />}
            title={momentText(Date.parse(window_start), now.value)}
            href={hrefOf(`/runs/${id}`)}
            under={words.value.states[state]}
          >
            {reason !== null && state !== 'fulfilled' && <Clause of={reason} first />}
            {ended_at !== null && (
              <small>
                <When at={ended_at} />
              </small>
            )}
          </Row>
        )}
      </Rows>
    </>
  );
}
