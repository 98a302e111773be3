import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askAndPause, askForPause, pause, resumeAlone, resumeTemplate } from '../acts/pause-acts.tsx';
import { runNow, startJob } from '../acts/run-acts.ts';
import { set, switchOf } from '../acts/switch-acts.ts';
import { company, hrefOf, query } from '../app/router.ts';
import { mayBegin } from '../begin/begin.tsx';
import { useKept, useLive, useLivePage } from '../data/answer.ts';
import { now } from '../data/clock.ts';
import { mayIn } from '../data/may.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { Choice, TextFilter } from '../lists/choice.tsx';
import { Pages } from '../lists/pages.tsx';
import { type BulkAct, Pick, PickedBar, type PickedRows, usePicked } from '../lists/picked.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { Name } from '../parts/name.tsx';
import { Schedule } from '../parts/schedule.tsx';
import { Strip } from '../parts/strip.tsx';
import { dayText, spanText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { hasPassed, NextStart, readingWhilePassed } from './next-start.tsx';
import {
  type DayOutcomes,
  type DaysAnswer,
  dayLength,
  dayOutcomesOf,
  daysPath,
  onTimeOf,
  type Template,
} from './template-answer.ts';

const shownDays = 30;
const maxRows = 50;
const kinds = ['RunTemplate', 'Pause', 'App', 'Company'];

interface TemplateRow {
  readonly template: Template;
  /** None until they are known. */
  readonly outcomes: readonly DayOutcomes[];
  /** Milliseconds. */
  readonly usual: number | null;
}

/** The answer of the timeline, as far as the list reads it. */
interface TemplatesAnswer {
  /** The duration is in milliseconds. */
  readonly templates: readonly { readonly id: number; readonly usual_duration: number | null }[];
  readonly next: number | null;
}

/** What is run, and how well: a page of templates with the outcomes of thirty days. */
export function Templates() {
  const text = words.value.templates;
  const model = useModel();
  const resource = model?.resources.find(({ name }) => name === 'RunTemplate');
  // Whole days of the reader, so that the answer to the same question is known again.
  const midnight = new Date(now.value).setHours(0, 0, 0, 0);
  const from = new Date(midnight - (shownDays - 1) * dayLength).toISOString();
  const to = new Date(midnight + dayLength).toISOString();
  const parameters = new URLSearchParams({ from, to, slots: '1', limit: String(maxRows) });
  for (const name of ['name', 'state', 'after']) {
    const value = query.value.get(name);
    if (value) parameters.set(name, value);
  }
  if (company.value !== null) parameters.set('company_id', String(company.value));
  const timeline = useLive<TemplatesAnswer>(`/tasks/timeline.json?${parameters}`, { kinds, every: 60_000 });
  const ids = timeline.value?.templates.map(({ id }) => id) ?? [];
  const isNone = ids.length === 0;
  const isAnyPast = useSignal(false);
  const templates = useLivePage<Template>(isNone ? null : `/runtemplates.json?limit=${maxRows * 2}&id=${ids}`, {
    kinds,
    ...(isAnyPast.value && { every: readingWhilePassed }),
  });
  const hasBegun = templates.value?.rows.some(hasPassed) ?? false;
  useEffect(() => {
    isAnyPast.value = hasBegun;
  }, [hasBegun]);
  const days = useKept(
    useLive<readonly DaysAnswer[]>(isNone ? null : daysPath(ids, shownDays), { kinds: ['RunTemplate'], every: 60_000 }),
  );
  const outcomes = new Map(days.value?.map((each) => [each.runtemplate_id, dayOutcomesOf(each, shownDays)]));
  const byId = new Map(templates.value?.rows.map((row) => [row.id, row]));
  const rows = (timeline.value?.templates ?? []).flatMap((row): TemplateRow[] => {
    const template = byId.get(row.id);
    return template ? [{ template, outcomes: outcomes.get(row.id) ?? [], usual: row.usual_duration }] : [];
  });
  const steady = useSteady(rows, ({ template }) => template.id);
  const picked = usePicked(steady.rows.map(({ template }) => template.id));
  const picks = steady.rows.map(({ template }) => template).filter(({ id }) => picked.ids.has(id));
  const isWhole = timeline.value?.next === null && !query.value.has('after');
  const { onTime, owed } = onTimeOf(rows.flatMap(({ outcomes }) => outcomes));
  return (
    <>
      <h1>{owed === 0 || !isWhole ? text.title : text.rate(onTime, owed)}</h1>
      <div class="filters">
        <TextFilter name="name" label={text.find} />
        <Choice name="state" label={text.state} options={text.states} />
        <span class="spacer" />
        {model && resource && mayWrite(resource, 'create', company.value) && (
          <>
            {mayBegin(model) && (
              <a class="button" href={hrefOf('/begin')}>
                {text.imports}
              </a>
            )}
            <a class="button" href={hrefOf('/templates/new')}>
              {text.add}
            </a>
          </>
        )}
      </div>
      <Answered of={timeline}>
        {(value) => (
          <>
            {value.templates.length === 0 && <p class="soft">{text.none}</p>}
            <div class="templates">
              <Rows of={steady} label={words.value.nav.templates}>
                {(row) => <OneTemplate key={row.template.id} {...row} picked={picked} />}
              </Rows>
            </div>
            <Pages of={{ next: value.next === null ? null : new URLSearchParams({ after: String(value.next) }) }} />
          </>
        )}
      </Answered>
      <PickedBar rows={picks} acts={bulkActs(picks)} nameOf={({ name }) => name} />
    </>
  );
}

function bulkActs(picks: readonly Template[]): readonly BulkAct<Template>[] {
  const text = words.value.templates;
  const mayOperate = ({ company_id }: Template) => mayIn(company_id, 'operator');
  const mayManage = ({ company_id }: Template) => mayIn(company_id, 'manager');
  return [
    {
      text: text.run,
      fits: mayOperate,
      prepare: async () => async (template) => {
        await startJob({ runtemplate_id: template.id });
        return text.isStarted;
      },
    },
    {
      text: text.pause,
      fits: (template) => template.pause_id === null && mayOperate(template),
      prepare: async () => {
        const fields = await askForPause(picks.map(({ name }) => name));
        return fields === null
          ? null
          : async (template) => {
              await pause(template.id, fields);
              return text.paused;
            };
      },
    },
    {
      text: text.resume,
      fits: (template) => template.pause_id !== null && mayOperate(template),
      prepare: async () => async (template) => {
        await resumeAlone(template);
        return text.isResumed;
      },
    },
    {
      text: text.activate,
      fits: (template) => !template.active && mayManage(template),
      prepare: async () => async (template) => {
        await set(switchOf(template.id), true);
        return text.isActive;
      },
    },
    {
      text: text.deactivate,
      fits: (template) => template.active && mayManage(template),
      prepare: async () => async (template) => {
        await set(switchOf(template.id), false);
        return text.inactive;
      },
    },
  ];
}

function OneTemplate({ template, outcomes, usual, picked }: TemplateRow & { readonly picked: PickedRows }) {
  const text = words.value.templates;
  const { id, name, company_id, pause_id } = template;
  const { owed, onTime } = onTimeOf(outcomes);
  const isKnown = outcomes.length > 0;
  const highest = Math.max(1, ...outcomes.map(countOf));
  const bars = outcomes.map((each) => ({
    label: `${dayText(each.date, 'UTC')}: ${text.outcomes(each.counts)}`,
    state: each.worst,
    height: countOf(each) / highest,
  }));
  return (
    <Row
      lead={mayIn(company_id, 'operator') && <Pick of={picked} id={id} name={name} />}
      title={name}
      href={hrefOf(`/templates/${id}`)}
      under={
        <>
          <Name of="Company" id={company_id} /> · <Schedule {...template} />
        </>
      }
      acts={
        <>
          {mayIn(company_id, 'operator') && (
            <Act shortcut="r" label={`${text.run}: ${name}`} act={() => runNow(id, name)}>
              {text.run}
            </Act>
          )}
          {mayIn(company_id, 'operator') &&
            (pause_id === null ? (
              <Act shortcut="p" label={`${text.pause}: ${name}`} act={() => askAndPause(template)}>
                {text.pause}
              </Act>
            ) : (
              <Act shortcut="p" label={`${text.resume}: ${name}`} act={() => resumeTemplate(template)}>
                {text.resume}
              </Act>
            ))}
        </>
      }
    >
      <div class="health">
        <Strip bars={bars} label={isKnown ? text.strip(onTime, owed) : '…'} />
        <span class={owed === 0 || onTime === owed ? 'rate' : onTime === 0 ? 'rate failed' : 'rate late'}>
          {!isKnown ? '…' : owed === 0 ? '–' : text.percent(onTime / owed)}
        </span>
        <small>
          <NextStart of={template} />
          {usual !== null && usual >= 1000 && ` · ${text.usually(spanText(usual))}`}
        </small>
      </div>
    </Row>
  );
}

function countOf({ counts }: DayOutcomes): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
