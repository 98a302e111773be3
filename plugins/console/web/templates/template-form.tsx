import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { company, go, hrefOf } from '../app/router.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { type Message, messageOf } from '../data/problem.ts';
import { type AnyRecord, titleOf } from '../data/records.ts';
import { request } from '../data/request.ts';
import { RecordForm } from '../form/record-form.tsx';
import { say } from '../parts/messages.tsx';
import { Said } from '../parts/text/said.tsx';
import { words } from '../words/words.ts';
import { Command } from './command.tsx';
import { SchedulePreview } from './schedule-preview.tsx';

/** The form of a template, with what its schedule would mean; `/templates/new` and `/templates/3/edit`. */
export function TemplateForm({ parts: [id] }: { readonly parts: readonly string[] }) {
  const model = useModel();
  const text = words.value;
  const read = useSignal<{ readonly record: AnyRecord; readonly etag: string | null } | null>(null);
  const failure = useSignal<Message | null>(null);
  useEffect(() => {
    if (id === undefined) return;
    request<AnyRecord>(`/runtemplate/${id}.json`).then(
      ({ value, headers }) => {
        read.value = { record: value, etag: headers.get('etag') };
      },
      (error) => {
        failure.value = messageOf(error);
      },
    );
  }, [id]);
  const resource = model?.resources.find(({ name }) => name === 'RunTemplate');
  if (failure.value !== null)
    return (
      <p role="alert">
        <Said of={failure.value} />
      </p>
    );
  if (!model || !resource || (id !== undefined && !read.value)) return <p class="soft">{text.shell.loading}</p>;
  const { record = null, etag = null } = read.value ?? {};
  const owner = record === null ? company.value : Number(record['company_id']);
  if (!mayWrite(resource, record === null ? 'create' : 'update', owner)) return <p>{text.form.mayNot}</p>;
  const back = id === undefined ? '/templates' : `/templates/${id}`;
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/templates')}>{text.nav.templates}</a>
      </p>
      <h1>{record ? <bdi>{titleOf(record)}</bdi> : text.templates.add}</h1>
      <RecordForm
        resource={resource}
        record={record}
        etag={etag}
        initial={{ timezone: model.timezone, ...(company.value !== null && { company_id: company.value }) }}
        onSaved={(saved) => {
          go(`/templates/${saved.id}`);
          say(id === undefined ? text.records.created(titleOf(saved)) : text.records.saved(titleOf(saved)));
        }}
        onCancel={() => go(back)}
      >
        {(values) => (
          <div>
            {typeof values['app_id'] === 'number' && <Command key={values['app_id']} app={values['app_id']} />}
            <SchedulePreview values={values} id={record?.id ?? null} />
          </div>
        )}
      </RecordForm>
    </>
  );
}
