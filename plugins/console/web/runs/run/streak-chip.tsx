import { useLive } from '../../data/answer.ts';
import { Dot } from '../../parts/dot.tsx';
import { words } from '../../words/words.ts';
import { isRunEnded, isUnmet, type RunRow } from '../run-records.ts';

/** How many runs before it are looked at. */
const maxLooked = 100;

/** Whether a failure is the first one after many runs on time, or one of several. */
export function StreakChip({ run }: { readonly run: RunRow }) {
  const text = words.value.runs;
  const { runtemplate_id, window_start, state } = run;
  const { value: rows } = useLive<readonly RunRow[]>(
    isUnmet(run)
      ? `/tasks.json?runtemplate_id=${runtemplate_id}&to=${window_start}&order=-window_start&limit=${maxLooked + 1}`
      : null,
  );
  const before = rows?.filter((row) => row.id !== run.id && isRunEnded(row) && row.state !== 'cancelled') ?? [];
  const countOf = (isOne: (row: RunRow) => boolean) => {
    const end = before.findIndex((row) => !isOne(row));
    return end === -1 ? before.length : end;
  };
  const met = countOf((row) => row.state === 'fulfilled');
  const unmet = countOf(isUnmet);
  if (met + unmet < 2) return null;
  const isAll = Math.max(met, unmet) === before.length && before.length >= maxLooked;
  return (
    <span class="chip">
      <Dot state={state} named={false} />
      {met > 0 ? text.firstAfter(met, isAll) : text.inRow(unmet + 1, isAll)}
    </span>
  );
}
