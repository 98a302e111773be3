import { useEffect, useRef } from 'preact/hooks';
import { resume } from '../acts/pause-acts.tsx';
import { switchOf, switchTo } from '../acts/switch-acts.ts';
import { UndoButton } from '../acts/undo-button.tsx';
import { Changed } from '../changes/changed.tsx';
import type { ChangedField } from '../changes/differences.ts';
import { changedNames, type NamedChange, namedChanges, ofDifference } from '../changes/named-changes.ts';
import { useLive } from '../data/answer.ts';
import { isAdmin, mayIn } from '../data/may.ts';
import { wordsOfKind } from '../data/model.ts';
import { recordOf } from '../data/records.ts';
import { inOwnZone } from '../data/request.ts';
import { changesToTell, isSaved, type WhyAnswer } from '../data/why.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { Clause } from '../parts/clause.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type PauseInForce, pauseHolding } from './answers.ts';

/** What changes whether the conditions of a template are met. */
const kinds = ['RunTemplate', 'App', 'Company', 'Pause', 'Task', 'Job'];

interface WhyProps {
  readonly templateId: number;
  /** Of the run itself. */
  readonly explanation: WhyAnswer | null;
  readonly pauses: readonly PauseInForce[];
  /** Whether the run has ended: conditions that are met do not say why it failed. */
  readonly hasEnded: boolean;
}

/** What must be met for a template to run, with what helps where it is not, and all that changed since the last success. */
export function Why({ templateId, explanation, pauses, hasEnded }: WhyProps) {
  const text = words.value.now;
  const answer = useLive<WhyAnswer>(inOwnZone(`/runtemplate/${templateId}/why.json`), { kinds });
  const needsConditions = !hasEnded || answer.value?.conditions.some(({ met }) => !met) === true;
  const since = explanation?.since_success ?? null;
  const differences = since?.differences.filter(({ what }) => !isSaved(what, since.changes)) ?? [];
  const unfolded = useRef<HTMLDivElement>(null);
  const isKnown = answer.value !== undefined;
  // What the reader has unfolded may lie beneath the edge of a small screen.
  useEffect(() => unfolded.current?.scrollIntoView({ block: 'nearest' }), [isKnown]);
  return (
    <div class="columns unfolded" ref={unfolded}>
      {needsConditions && (
        <section>
          <h3>{text.conditions}</h3>
          <Answered of={answer}>
            {({ conditions }) => (
              <ul class="conditions">
                {conditions.map((condition) => (
                  <li key={condition.name} class={condition.met ? 'met' : 'unmet'}>
                    <span
                      class={`dot is-${condition.met ? 'fulfilled' : 'failed hollow'}`}
                      role="img"
                      aria-label={condition.met ? text.met : text.unmet}
                    />
                    <Clause of={condition.text} first />
                    {!condition.met && <Remedy of={condition.name} templateId={templateId} pauses={pauses} />}
                  </li>
                ))}
              </ul>
            )}
          </Answered>
        </section>
      )}
      {since && (
        <section>
          <h3>{since.job_id === null ? text.sinceCreated : text.sinceSuccess}</h3>
          {since.changes.length + differences.length === 0 && <p class="soft">{text.nothingChanged}</p>}
          <ul class="conditions changes">
            {changesToTell(since.changes).map((change) => (
              <li key={change.auditlog_id}>
                <span>
                  {namedChanges(change).map((value, index) => (
                    <Changed key={index} {...withValueOfRun(value, since.differences)} />
                  ))}
                  <small>
                    <bdi>{change.name ?? wordsOfKind(change.entity_type).name}</bdi> · <bdi>{change.actor}</bdi> ·{' '}
                    <When at={change.at} />
                  </small>
                </span>
                <UndoButton
                  of={change}
                  companyId={recordOf('RunTemplate', templateId)?.['company_id'] as number}
                  label={`${words.value.act.undo}: ${changedNames(change.entity_type, change.changes)}`}
                />
              </li>
            ))}
            {differences.map((difference) => (
              <li key={difference.what}>
                <Changed {...ofDifference(difference)} />
              </li>
            ))}
          </ul>
          {since.further > 0 && <p class="soft">{text.furtherChanges(since.further)}</p>}
          {since.hidden > 0 && <p class="soft">{text.hiddenChanges(since.hidden)}</p>}
        </section>
      )}
    </div>
  );
}

type Differences = NonNullable<WhyAnswer['since_success']>['differences'];

/** What a variable is called among the differences of a run. */
function ofRun({ name }: ChangedField): string {
  return `environment.${name}`;
}

/** Completes a value that was saved by that with which the last success ran: the template may have left it to its App. */
export function withValueOfRun(value: NamedChange, differences: Differences): NamedChange {
  const ran = differences.find(({ what }) => what === ofRun(value));
  return { ...value, before: value.before ?? ran?.before ?? null };
}

interface RemedyProps {
  /** The name of the condition that is not met. */
  readonly of: string;
  readonly templateId: number;
  readonly pauses: readonly PauseInForce[];
}

/** The button that makes a condition be met, where there is one and the user may press it. */
function Remedy({ of, templateId, pauses }: RemedyProps) {
  const text = words.value.now;
  const template = recordOf('RunTemplate', templateId);
  if (!template) return null;
  const { company_id, app_id } = template as { readonly company_id?: number; readonly app_id?: number };
  const company = company_id ?? null;
  const name = String(template['name']);
  if (of === 'active' && mayIn(company, 'manager'))
    return <Act act={() => switchTo(switchOf(templateId), true, name)}>{text.activate}</Act>;
  if (of === 'app_enabled' && isAdmin())
    return <Act act={() => switchTo({ path: `/app/${app_id}.json`, field: 'enabled' }, true, name)}>{text.enable}</Act>;
  if (of === 'company_enabled' && isAdmin())
    return (
      <Act act={() => switchTo({ path: `/company/${company}.json`, field: 'enabled' }, true, name)}>{text.enable}</Act>
    );
  if (of !== 'paused') return null;
  const pause = pauseHolding(pauses, templateId, company);
  return pause && mayIn(pause.company_id, 'operator') ? <Act act={() => resume(pause, name)}>{text.resume}</Act> : null;
}
