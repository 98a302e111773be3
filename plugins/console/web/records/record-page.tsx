import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { go, hrefOf, query, setQuery } from '../app/router.ts';
import { AuditTrail } from '../audit/audit-trail.tsx';
import { onChanges } from '../data/live.ts';
import { type FieldModel, mayWrite, type ResourceModel } from '../data/model.ts';
import { type Message, messageOf } from '../data/problem.ts';
import type { AnyRecord } from '../data/records.ts';
import { request } from '../data/request.ts';
import { RecordForm } from '../form/record-form.tsx';
import { isSame } from '../form/values.ts';
import { Act } from '../parts/act.tsx';
import { Facts } from '../parts/facts.tsx';
import { say } from '../parts/messages.tsx';
import { Mistake } from '../parts/mistake.tsx';
import { Said } from '../parts/text/said.tsx';
import { titleIn } from '../parts/text/title.ts';
import { words } from '../words/words.ts';
import { AppTemplates } from './app-templates.tsx';
import { Value } from './cells.tsx';
import { askAndDelete } from './delete-record.tsx';
import { Members } from './members.tsx';
import { Memberships } from './memberships.tsx';
import { UserRoles } from './user-roles.tsx';

/** What stands on the page of a record and is no field of it. */
const besides: Readonly<Record<string, readonly ComponentType<{ readonly id: number }>[]>> = {
  App: [AppTemplates],
  Company: [Members],
  User: [UserRoles, Memberships],
};

/** Whether the form is open, which links can ask for, with the focus in a field: `?edit=1&field=arguments`. */
const isEdited = () => query.value.get('edit') === '1';
const closeForm = () => setQuery({ edit: null, field: null });

interface Read {
  readonly record: AnyRecord;
  readonly etag: string | null;
}

interface RecordPageProps {
  readonly resource: ResourceModel;
  readonly id: string;
}

/** One record of any kind: its fields, and the form that changes them. */
export function RecordPage({ resource, id }: RecordPageProps) {
  const text = words.value.records;
  const read = useSignal<Read | null>(null);
  const failure = useSignal<Message | null>(null);
  const load = async () => {
    try {
      const { value, headers } = await request<AnyRecord>(`/${resource.singular}/${id}.json`);
      read.value = { record: value, etag: headers.get('etag') };
      failure.value = null;
    } catch (error) {
      failure.value = messageOf(error);
    }
  };
  useEffect(() => {
    void load();
    // A form keeps the version that it was opened with: who saves over another one is shown both.
    return onChanges((changes) => {
      const isOwn =
        changes?.some((each) => each.entity_type === resource.name && each.entity_id === Number(id)) ?? true;
      if (isOwn && !isEdited()) void load();
    });
  }, [resource, id]);
  if (!read.value)
    return failure.value === null ? (
      <p class="soft">{words.value.shell.loading}</p>
    ) : (
      <p role="alert">
        <Said of={failure.value} />
      </p>
    );
  const { record, etag } = read.value;
  const company = resource.company === null ? undefined : (record[resource.company] as number | null | undefined);
  const canSave = resource.operations.includes('save') && mayWrite(resource, 'update', company);
  const canDelete = resource.operations.includes('delete') && mayWrite(resource, 'delete', company);
  const list = `/manage/${resource.plural}`;
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/manage')}>{words.value.nav.manage}</a> ›{' '}
        <a href={hrefOf(list)} lang={resource.langs?.words}>
          {resource.words.all}
        </a>
      </p>
      <h1>
        <bdi>{titleIn(resource.name, record)}</bdi>
      </h1>
      <Mistake of={failure.value} />
      {isEdited() && canSave ? (
        <RecordForm
          resource={resource}
          record={record}
          etag={etag}
          onSaved={(saved) => {
            closeForm();
            say(text.saved(titleIn(resource.name, saved)));
            void load();
          }}
          onCancel={() => {
            closeForm();
            void load();
          }}
        />
      ) : (
        <>
          <div class="acts head">
            {canSave && (
              <Act primary shortcut="e" act={() => setQuery({ edit: '1' })}>
                {text.edit}
              </Act>
            )}
            {canDelete && (
              <Act
                act={async () => {
                  if (!(await askAndDelete(resource, record))) return;
                  go(list);
                  say(text.removed(titleIn(resource.name, record)));
                }}
              >
                {text.remove}
              </Act>
            )}
          </div>
          <h2>{text.fields}</h2>
          <FieldValues resource={resource} record={record} isShown={hasValue} />
          <details>
            <summary>{text.others}</summary>
            <FieldValues resource={resource} record={record} isShown={(field, value) => !hasValue(field, value)} />
          </details>
          {besides[resource.name]?.map((Besides, index) => (
            <Besides key={index} id={record.id} />
          ))}
          <AuditTrail of={resource.name} id={record.id} />
        </>
      )}
    </>
  );
}

/** What the service keeps about every record: it is looked up seldom. */
const kept = new Set(['id', 'created_at', 'updated_at']);

/** Whether a field says something that its default does not. */
function hasValue({ name, required, default: standard }: FieldModel, value: unknown): boolean {
  if (kept.has(name)) return false;
  return (
    required || !(value === null || value === '' || isSame(value, standard) || isSame(value, []) || isSame(value, {}))
  );
}

interface FieldValuesProps {
  readonly resource: ResourceModel;
  readonly record: AnyRecord;
  readonly isShown: (field: FieldModel, value: unknown) => boolean;
}

function FieldValues({ resource, record, isShown }: FieldValuesProps) {
  const shown = resource.fields.filter((field) => {
    const value = record[field.name];
    return value !== undefined && isShown(field, value);
  });
  return (
    <Facts
      of={shown.map(
        (field) =>
          [
            <span key={field.name} lang={field.lang}>
              {field.label}
            </span>,
            <Value key={field.name} field={field} value={record[field.name]} />,
          ] as const,
      )}
    />
  );
}

/** A new record of any kind. */
export function NewRecord({ resource }: { readonly resource: ResourceModel }) {
  const text = words.value.records;
  const list = `/manage/${resource.plural}`;
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/manage')}>{words.value.nav.manage}</a> ›{' '}
        <a href={hrefOf(list)} lang={resource.langs?.words}>
          {resource.words.all}
        </a>
      </p>
      <h1 lang={resource.langs?.words}>{resource.words.add}</h1>
      {resource.operations.includes('save') && mayWrite(resource, 'create') ? (
        <RecordForm
          resource={resource}
          record={null}
          etag={null}
          onSaved={(saved) => {
            go(`${list}/${saved.id}`);
            say(text.created(titleIn(resource.name, saved)));
          }}
          onCancel={() => go(list)}
        />
      ) : (
        <p>{words.value.form.mayNot}</p>
      )}
    </>
  );
}
