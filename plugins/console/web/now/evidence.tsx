import { UndoneBy } from '../acts/undone-by.tsx';
import { Changed } from '../changes/changed.tsx';
import { namedChanges, ofDifference } from '../changes/named-changes.ts';
import { now } from '../data/clock.ts';
import { wordsOfKind } from '../data/model.ts';
import { changesToTell, foremostOf, type WhyAnswer } from '../data/why.ts';
import { momentText } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import type { StartAnswer } from './answers.ts';
import { withValueOfRun } from './why.tsx';

/** The differences of a run that say something in one line; the others are seen with all that changed. */
const telling = new Set(['host', 'app_version', 'executor']);

interface EvidenceProps {
  readonly explanation: WhyAnswer | null;
  readonly next: StartAnswer | undefined;
}

/** What is known of a problem, in a line: what went well before, what changed since, and when its template runs next. */
export function Evidence({ explanation, next }: EvidenceProps) {
  const text = words.value.now;
  const since = explanation?.since_success ?? null;
  const changes = changesToTell(since?.changes ?? []);
  const change = foremostOf(changes);
  const further = changes.length + (since?.further ?? 0) - 1;
  const [saved] = change ? namedChanges(change) : [];
  const value = saved && withValueOfRun(saved, since?.differences ?? []);
  const difference = since?.differences.find(({ what }) => telling.has(what));
  return (
    <small>
      {since && since.fulfilled_before !== null && <>{text.fulfilledBefore(since.fulfilled_before)} </>}
      {change && (
        <>
          {text.changedBy}{' '}
          <b>
            <bdi>{change.actor}</bdi>
          </b>{' '}
          <When at={change.at} />
          {': '}
          {change.entity_type !== 'RunTemplate' && (
            <>
              <bdi>{change.name ?? wordsOfKind(change.entity_type).name}</bdi>,{' '}
            </>
          )}
          {value ? <Changed {...value} /> : text.actions[change.action]}
          {change.undone_by && (
            <>
              {', '}
              <UndoneBy of={change.undone_by} />
            </>
          )}
          {further > 0 && ` ${text.furtherChanges(further)}`}
          {'. '}
        </>
      )}
      {!change && difference && (
        <>
          {text.differs} <Changed {...ofDifference(difference)} />
          {'. '}
        </>
      )}
      {next && text.nextStarts(momentText(Date.parse(next.at), now.value))}
    </small>
  );
}
