import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { go, hrefOf } from '../app/router.ts';
import { type ImportModel, wordsOfKind } from '../data/model.ts';
import { request } from '../data/request.ts';
import { FieldRows } from '../form/field-rows.tsx';
import { FurtherFields } from '../form/further-fields.tsx';
import { useSending } from '../form/sending.ts';
import type { Values } from '../form/values.ts';
import { say } from '../parts/messages.tsx';
import { Mistake } from '../parts/mistake.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { serviceLanguage, words } from '../words/words.ts';
import { useCompanyName } from './company-name.ts';
import { DropZone } from './drop-zone.tsx';
import { type ImportReport, Report } from './report.tsx';
import { dropped, type TextFile } from './text-files.ts';

/** The records that an import makes, and where they are seen. */
const made: Readonly<Record<string, { readonly kind: string; readonly view: string }>> = {
  crontab: { kind: 'RunTemplate', view: '/templates' },
  app: { kind: 'App', view: '/manage/apps' },
  calendar: { kind: 'Calendar', view: '/manage/calendars' },
};

/** Imports files: it shows first what would happen, as a dry run of the same says. */
export function ImportForm({ described }: { readonly described: ImportModel }) {
  const { name, files: filesHelp, fields } = described;
  const text = words.value.begin;
  const files = useSignal<readonly TextFile[]>(takeDropped());
  const pasted = useSignal('');
  const typed = useSignal<Values>({});
  const preview = useSignal<ImportReport | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const own = useCompanyName();
  const values: Values = { ...(fields.some((field) => field.name === 'company') && { company: own }), ...typed.value };
  const isPasted = pasted.value.trim() !== '';
  const all = [...files.value, ...(isPasted ? [{ name: text.pasted, text: pasted.value }] : [])];
  const change = (work: () => void) => {
    work();
    preview.value = null;
  };
  const send = async (_form: HTMLFormElement, button: HTMLElement | null) => {
    const isDryRun = button?.getAttribute('name') !== 'import';
    const filled = Object.entries(values).filter(([, value]) => value !== '' && value !== null);
    const body = { ...Object.fromEntries(filled), files: all };
    const query = isDryRun ? { dry_run: true } : {};
    const { value } = await request<ImportReport>(`/imports/${name}`, { method: 'POST', body, query });
    if (isDryRun) {
      preview.value = value;
      // Also where the same is shown again.
      requestAnimationFrame(() => {
        const { current } = heading;
        current?.focus({ preventScroll: true });
        current?.scrollIntoView({ block: 'start' });
      });
    } else {
      const { kind = '', view = '/manage' } = made[name] ?? {};
      const sources = [...files.value.map((file) => file.name), ...(isPasted ? [text.pastedText] : [])];
      go(view);
      say(text.imported(wordsOfKind(kind).count(value.rows.length), sources));
    }
  };
  const { onSubmit, onInput, isBusy, errors, failure } = useSending(
    fields.map((field) => field.name),
    send,
  );
  const rows = {
    siblings: fields,
    values,
    errors,
    set: (member: string, value: unknown) =>
      change(() => {
        typed.value = { ...typed.value, [member]: value };
      }),
  };
  const kinds = text.ways[name]?.files ?? <span lang={serviceLanguage.value}>{filesHelp}</span>;
  return (
    <form class="record-form" noValidate onSubmit={onSubmit} onInput={onInput}>
      <DropZone
        label={<Sentence of={text.dropFiles} with={{ files: kinds }} />}
        byTouch={kinds}
        onFiles={(chosen) =>
          change(() => {
            const names = new Set(chosen.map((file) => file.name));
            files.value = [...files.value.filter((file) => !names.has(file.name)), ...chosen];
          })
        }
      />
      {files.value.map((file, index) => (
        <div key={index} class="form-field">
          <label for={`file-${index}`}>{text.file(index + 1)}</label>
          <div class="item">
            <input
              id={`file-${index}`}
              type="text"
              autocomplete="off"
              value={file.name}
              onInput={({ currentTarget }) =>
                change(() => {
                  files.value = files.value.with(index, { ...file, name: currentTarget.value });
                })
              }
            />
            <button
              type="button"
              class="plain"
              aria-label={text.remove(file.name)}
              onClick={() =>
                change(() => {
                  files.value = files.value.toSpliced(index, 1);
                })
              }
            >
              ×
            </button>
            <p class="help">{text.lines(file.text.trimEnd().split('\n').length)}</p>
          </div>
        </div>
      ))}
      <div class="form-field">
        <label for="pasted">{text.orPaste}</label>
        <textarea
          id="pasted"
          class="code"
          rows={Math.max(4, pasted.value.split('\n').length)}
          spellcheck={false}
          value={pasted.value}
          onInput={({ currentTarget }) =>
            change(() => {
              pasted.value = currentTarget.value;
            })
          }
        />
      </div>
      <FieldRows of={fields.filter(({ required = false }) => required)} {...rows} />
      <FurtherFields of={fields.filter(({ required = false }) => !required)} {...rows} />
      <div class={preview.value ? 'save still' : 'save'}>
        <Mistake of={failure} />
        <div class="acts">
          <button
            type="submit"
            class={preview.value ? undefined : 'primary'}
            aria-busy={isBusy}
            disabled={all.length === 0}
          >
            {isBusy && !preview.value ? text.reading : text.preview}
          </button>
          <a class="button" href={hrefOf('/begin')}>
            {words.value.act.cancel}
          </a>
        </div>
      </div>
      {preview.value && (
        <>
          <Report report={preview.value} heading={heading} />
          <button type="submit" name="import" class="primary" aria-busy={isBusy}>
            {isBusy ? text.reading : text.doImport(preview.value.rows.length)}
          </button>
        </>
      )}
    </form>
  );
}

function takeDropped(): readonly TextFile[] {
  const files = dropped.peek();
  dropped.value = [];
  return files;
}
