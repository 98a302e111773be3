import { useSignal } from '@preact/signals';
import { go } from '../app/router.ts';
import { type FieldModel, useModel } from '../data/model.ts';
import { type FieldProblem, Problem } from '../data/problem.ts';
import { request } from '../data/request.ts';
import { FieldRows } from '../form/field-rows.tsx';
import { messageBeside } from '../form/message-beside.ts';
import type { Values } from '../form/values.ts';
import { say } from '../parts/messages.tsx';
import { SchedulePreview } from '../templates/schedule-preview.tsx';
import { words } from '../words/words.ts';
import { useCompanyName } from './company-name.ts';

/** One form for all that a job needs: the company, the App and the template are made of it. */
export function FirstJob({ fields }: { readonly fields: readonly FieldModel[] }) {
  const text = words.value;
  const model = useModel();
  const typed = useSignal<Values>({ cron: '0 3 * * *' });
  const errors = useSignal<readonly FieldProblem[]>([]);
  const failure = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const values: Values = { company: useCompanyName(), timezone: model?.timezone ?? null, ...typed.value };
  const save = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    errors.value = [];
    failure.value = null;
    try {
      const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== null));
      const { value } = await request<{ readonly id: number }>('/console/job', { method: 'POST', body });
      say(text.records.created(String(values['name'])));
      go(`/templates/${value.id}`);
    } catch (error) {
      if (error instanceof Problem) errors.value = error.errors;
      failure.value = messageBeside(fields, error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form
      class="record-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="fields two">
        <div>
          <FieldRows
            of={fields}
            siblings={fields}
            values={values}
            errors={errors.value}
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
        {failure.value !== null && (
          <p class="mistake" role="alert">
            {failure}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy.value}>
          {isBusy.value ? text.form.saving : text.form.create}
        </button>
      </div>
    </form>
  );
}
