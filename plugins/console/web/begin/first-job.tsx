import { useSignal } from '@preact/signals';
import { go } from '../app/router.ts';
import { type FieldModel, useModel } from '../data/model.ts';
import { request } from '../data/request.ts';
import { FieldRows } from '../form/field-rows.tsx';
import { useSending } from '../form/sending.ts';
import type { Values } from '../form/values.ts';
import { say } from '../parts/messages.tsx';
import { Mistake } from '../parts/mistake.tsx';
import { SchedulePreview } from '../templates/schedule-preview.tsx';
import { words } from '../words/words.ts';
import { useCompanyName } from './company-name.ts';

/** One form for all that a job needs: the company, the App and the template are made of it. */
export function FirstJob({ fields }: { readonly fields: readonly FieldModel[] }) {
  const text = words.value;
  const model = useModel();
  const typed = useSignal<Values>({ cron: '0 3 * * *' });
  const values: Values = { company: useCompanyName(), timezone: model?.timezone ?? null, ...typed.value };
  const save = async () => {
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== null));
    const { value } = await request<{ readonly id: number }>('/console/job', { method: 'POST', body });
    go(`/templates/${value.id}`);
    say(text.records.created(String(values['name'])));
  };
  const { onSubmit, onInput, isBusy, errors, failure } = useSending(
    fields.map(({ name }) => name),
    save,
  );
  return (
    <form class="record-form" noValidate onSubmit={onSubmit} onInput={onInput}>
      <div class="fields two">
        <div>
          <FieldRows
            of={fields}
            siblings={fields}
            values={values}
            errors={errors}
            set={(name, value) => {
              typed.value = { ...typed.value, [name]: value };
            }}
          />
        </div>
        <aside>
          <SchedulePreview values={{ ...values, interval: 'custom' }} id={null} />
        </aside>
      </div>
      <div class="save">
        <Mistake of={failure} />
        <button type="submit" class="primary" aria-busy={isBusy}>
          {isBusy ? text.form.saving : text.form.create}
        </button>
      </div>
    </form>
  );
}
