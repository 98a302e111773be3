import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useModel } from '../data/model.ts';
import { type Message, messageOf } from '../data/problem.ts';
import { read } from '../data/request.ts';
import type { Values } from '../form/values.ts';
import { Said } from '../parts/text/said.tsx';
import { ownZone } from '../parts/times.ts';
import { cronLang, words } from '../words/words.ts';
import { type PlannedWindow, WindowTable } from './next-windows.tsx';

interface Preview {
  readonly words: string | null;
  readonly windows: readonly PlannedWindow[];
  readonly clock_changes: readonly PlannedWindow[];
}

/** How long nothing is typed until the service is asked, in milliseconds. */
const pauseOfTyping = 250;

/** What a schedule that is not saved would mean: in words, the next ten windows, and what the clock changes of the year do to it. */
export function SchedulePreview({ values, id }: { readonly values: Values; readonly id: number | null }) {
  const text = words.value.template;
  const model = useModel();
  const preview = useSignal<Preview | null>(null);
  const failure = useSignal<Message | null>(null);
  const query = Object.fromEntries(
    (model?.schedule_fields ?? []).flatMap((name) => {
      const value = values[name];
      return value === null || value === undefined || value === '' ? [] : [[name, String(value)]];
    }),
  );
  const asked = JSON.stringify([query, words.value.cronLanguage]);
  const isComplete = query['interval'] !== undefined && (query['interval'] !== 'custom' || query['cron'] !== undefined);
  useEffect(() => {
    if (!isComplete) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      read<Preview>(
        '/console/preview',
        { ...query, runtemplate_id: id, language: words.value.cronLanguage },
        abort.signal,
      ).then(
        (answer) => {
          preview.value = answer;
          failure.value = null;
        },
        (error) => {
          if (!abort.signal.aborted) failure.value = messageOf(error);
        },
      );
    }, pauseOfTyping);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked]);
  if (!isComplete) return null;
  const zone = query['timezone'] ?? ownZone;
  return (
    <section class="preview" aria-live="polite">
      <h2>{text.next}</h2>
      {failure.value !== null && (
        <p class="mistake">
          <Said of={failure.value} />
        </p>
      )}
      {preview.value && (
        <div class={failure.value === null ? undefined : 'soft'}>
          {preview.value.words !== null && <p lang={cronLang.value}>{preview.value.words}.</p>}
          <WindowTable windows={preview.value.windows} zone={zone} />
          {preview.value.clock_changes.length > 0 && (
            <>
              <h2>{text.clockChanges}</h2>
              <WindowTable windows={preview.value.clock_changes} zone={zone} />
            </>
          )}
        </div>
      )}
    </section>
  );
}
