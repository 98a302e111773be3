import { UndoButton } from '../../acts/undo-button.tsx';
import { hrefOf } from '../../app/router.ts';
import { ChangedPair } from '../../changes/changed.tsx';
import { changedNames } from '../../changes/named-changes.ts';
import { now } from '../../data/clock.ts';
import { wordsOfKind } from '../../data/model.ts';
import { type ChangesSinceSuccess, changesToTell, isSaved } from '../../data/why.ts';
import { momentText } from '../../parts/times.ts';
import { When } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';
import { ChangedFields } from './changed-fields.tsx';

interface SinceSuccessProps {
  readonly of: ChangesSinceSuccess;
  readonly companyId: number;
}

/** What is different since the last success: what was saved, by whom and how, and where and how it ran. */
export function SinceSuccess({ of, companyId }: SinceSuccessProps) {
  const text = words.value.runs;
  const { changes, further, hidden, archived_before } = of;
  const differences = of.differences.filter(({ what }) => !isSaved(what, changes));
  const isNothing = changes.length + differences.length + further + hidden === 0;
  return (
    <section aria-label={text.since}>
      <h2>
        {text.since}{' '}
        <span>
          {of.job_id === null ? (
            text.neverSucceeded
          ) : (
            <a href={hrefOf(`/jobs/${of.job_id}`)}>{momentText(Date.parse(of.since), now.value)}</a>
          )}
        </span>
      </h2>
      {isNothing && <p class="soft">{of.job_id === null ? text.nothingSaved : text.nothingChanged}</p>}
      <ul class="rows plain-rows" aria-label={text.since}>
        {changesToTell(changes).map((change) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard moves from row to row.
          <li key={change.auditlog_id} data-row="" tabIndex={0}>
            <div class="what">
              <ChangedFields of={change} />
              <small>
                {change.entity_type !== 'RunTemplate' && (
                  <>
                    {wordsOfKind(change.entity_type).name} <bdi>{change.name ?? change.entity_id}</bdi>
                    {' · '}
                  </>
                )}
                {text.savedBy(change.actor, text.channels[change.channel] ?? change.channel)}
                {', '}
                <When at={change.at} as="moment" />
              </small>
            </div>
            <UndoButton
              of={change}
              companyId={companyId}
              label={text.undoOf(changedNames(change.entity_type, change.changes))}
            />
          </li>
        ))}
        {differences.map(({ what, before, after }) => (
          <li key={what}>
            <div class="what">
              {what === 'duration' ? (
                <>
                  {text.took(after ?? '')}
                  <small>{text.usually((before ?? '').replace(/^usually /, ''))}</small>
                </>
              ) : (
                <>
                  {text.differences[what] ?? <code>{what.replace(/^environment\./, '')}</code>}{' '}
                  <ChangedPair before={before} after={after} />
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
      {further > 0 && <p class="soft small">{text.further(further)}</p>}
      {hidden > 0 && <p class="soft small">{text.hiddenChanges(hidden)}</p>}
      {archived_before !== null && (
        <p class="soft small">
          {text.archived} <When at={archived_before} as="moment" />
        </p>
      )}
    </section>
  );
}
