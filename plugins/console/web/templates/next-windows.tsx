import { useLive } from '../data/answer.ts';
import { now } from '../data/clock.ts';
import { Answered } from '../parts/answered.tsx';
import { Clause } from '../parts/clause.tsx';
import { dayText, momentText, ownZone, timeText } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { endOfPause } from './next-start.tsx';

/** A window that lies ahead. */
export interface PlannedWindow {
  readonly window_start: string;
  readonly due_at: string;
  readonly deadline: string | null;
  readonly note: string | null;
}

interface NextWindowsProps {
  readonly template: number;
  readonly zone: string;
  /** The pause that holds its jobs; null = none does. */
  readonly pause: number | null;
}

/** The next windows of a stored template, with their deadlines, in the zone of the reader and in its own where that differs. */
export function NextWindows({ template, zone, pause }: NextWindowsProps) {
  const text = words.value.template;
  const windows = useLive<readonly PlannedWindow[]>(`/runtemplate/${template}/preview.json?limit=10`, {
    kinds: ['RunTemplate', 'Calendar', 'Pause', 'Task'],
    every: 60_000,
  });
  const until = pause === null ? undefined : endOfPause(pause);
  const isHeld = ({ due_at }: PlannedWindow) =>
    until === null || (until !== undefined && Date.parse(due_at) < Date.parse(until));
  return (
    <Answered of={windows}>
      {(value) => (
        <>
          {until !== undefined && (
            <p class="soft">{text.held(until === null ? null : momentText(Date.parse(until), now.value))}</p>
          )}
          <WindowTable
            windows={value.map((each) =>
              isHeld(each) ? { ...each, note: [text.isHeld, each.note].filter(Boolean).join(', ') } : each,
            )}
            zone={zone}
          />
        </>
      )}
    </Answered>
  );
}

/** Windows with their deadlines. */
export function WindowTable({ windows, zone }: { readonly windows: readonly PlannedWindow[]; readonly zone: string }) {
  const text = words.value.template;
  if (windows.length === 0) return <p class="soft">{text.noWindows}</p>;
  const isOther = zone !== ownZone;
  const hasNotes = windows.some(({ note }) => note !== null);
  return (
    <div class="scroll">
      <table class="windows">
        <thead>
          <tr>
            <th scope="col">{text.window}</th>
            {isOther && <th scope="col">{zone}</th>}
            <th scope="col">{text.dueBy}</th>
            {hasNotes && <th scope="col">{text.note}</th>}
          </tr>
        </thead>
        <tbody>
          {windows.map(({ window_start: start, deadline, note }) => (
            <tr key={start}>
              <td>
                <When at={start} as="moment" />
              </td>
              {isOther && (
                <td>
                  {dayText(Date.parse(start), zone)} {timeText(Date.parse(start), zone)}
                </td>
              )}
              <td>{deadline !== null && <When at={deadline} as="moment" />}</td>
              {hasNotes && <td class="soft">{note !== null && <Clause of={note} />}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
