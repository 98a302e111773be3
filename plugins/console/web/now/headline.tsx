import { now } from '../data/clock.ts';
import { dayText, momentText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import type { OutlookAnswer, ProblemOfSummary, SummaryAnswer } from './answers.ts';
import { startText } from './start-text.ts';

interface HeadlineProps {
  readonly summary: SummaryAnswer;
  readonly outlook: OutlookAnswer | undefined;
  /** Whether there is nothing to come either, and nothing that waits. */
  readonly isQuiet: boolean;
  /** How many problems wait for a person. */
  readonly open: number;
  /** Those that failed, of templates that have succeeded since. */
  readonly recovered: readonly ProblemOfSummary[];
}

/** The answer: whether everything is on time, and beneath it what runs and what is still to come today. */
export function Headline({ summary, outlook, isQuiet, open, recovered }: HeadlineProps) {
  const text = words.value.now;
  const { owed, on_time, running, waiting } = summary;
  if (isQuiet && owed === 0) return <h1>{text.nothingYet}</h1>;
  const since = open === 0 ? lastOf(recovered) : null;
  const [next] = outlook?.next ?? [];
  const { count: rest = 0, deadline = null } = outlook?.rest_of_day ?? {};
  return (
    <>
      <h1>
        {since ? (
          text.recovered(
            runsOf(recovered),
            momentText(Date.parse(since), now.value),
            recovered.every(({ kind }) => kind === 'missed'),
          )
        ) : (
          <>
            {owed === 0 ? text.nothing : text.onTime(on_time, owed)} {open > 0 && <b>{text.needYou(open)}</b>}
          </>
        )}
      </h1>
      <p class="sub">
        {text.running(running)} {waiting > 0 && `${text.waiting(waiting)} `}
        {next
          ? text.next(startText(Date.parse(next.at), now.value), next.name ?? '', next.company ?? '')
          : outlook && text.noNext}{' '}
        {rest > 0 && text.rest(rest, deadline === null ? null : endText(Date.parse(deadline)))}
      </p>
    </>
  );
}

/** When the last run of the day is due: the midnight that ends it belongs to the next day. */
function endText(deadline: number): string {
  const isMidnight = dayText(deadline) !== dayText(deadline - 1) && dayText(deadline - 1) === dayText(now.value);
  return isMidnight ? words.value.now.midnight : momentText(deadline, now.value);
}

function runsOf(problems: readonly ProblemOfSummary[]): number {
  return problems.reduce((sum, { count }) => sum + count, 0);
}

/** When the last of some problems began. */
function lastOf(problems: readonly ProblemOfSummary[]): string | null {
  return problems
    .flatMap(({ since }) => since ?? [])
    .reduce<string | null>((last, at) => (last === null || at > last ? at : last), null);
}
