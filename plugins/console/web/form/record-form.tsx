import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { query } from '../app/router.ts';
import type { ResourceModel } from '../data/model.ts';
import { Problem } from '../data/problem.ts';
import { request } from '../data/request.ts';
import { session } from '../data/session.ts';
import { Mistake } from '../parts/mistake.tsx';
import { words } from '../words/words.ts';
import { Conflict } from './conflict.tsx';
import { idOfField } from './field-input.tsx';
import { FieldRows } from './field-rows.tsx';
import { FurtherFields } from './further-fields.tsx';
import { useSending } from './sending.ts';
import { changesOf, isSame, type Values, writableFields } from './values.ts';

interface RecordFormProps {
  readonly resource: ResourceModel;
  /** The record as it was read; null = a new one. */
  readonly record: Values | null;
  /** The version of the record as it was read. */
  readonly etag: string | null;
  /** What a new record begins with. */
  readonly initial?: Values;
  readonly onSaved: (saved: Values & { readonly id: number }) => void;
  readonly onCancel: () => void;
  /** What stands beside the fields, of the values as they are typed. */
  readonly children?: (values: Values) => ComponentChildren;
}

/** What others have saved since the form was opened. */
interface Theirs {
  readonly record: Values;
  readonly etag: string | null;
}

/**
 * The form of a record, made of its fields: what is required or says something comes first, and the fields with their defaults
 * can be opened. The field that the address names, such as `?field=arguments`, has the focus. It sends what was changed, and
 * only to the version of the record that was read.
 */
export function RecordForm({ resource, record, etag, initial, onSaved, onCancel, children }: RecordFormProps) {
  const text = words.value.form;
  const isNew = record === null;
  const fields = writableFields(resource.fields, isNew);
  const start = record ?? { ...defaultsOf(resource), ...initial };
  const values = useSignal<Values>(start);
  const version = useSignal(etag);
  const base = useSignal<Values | null>(record);
  const theirs = useSignal<Theirs | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const asked = useRef(query.peek().get('field')).current;
  const changes = changesOf(resource.fields, base.value, values.value);
  const isChanged = Object.keys(changes).length > 0;
  useUnsaved(isChanged);
  useEffect(() => {
    if (form.current && asked !== null) focusField(form.current, asked);
  }, []);

  const save = async () => {
    const path = isNew ? `/${resource.singular}` : `/${resource.singular}/${record['id']}.json`;
    const headers = isNew ? { 'If-None-Match': '*' } : { 'If-Match': version.value ?? '*' };
    try {
      const { value } = await request<Values & { readonly id: number }>(path, {
        method: 'POST',
        body: changes,
        headers,
      });
      onSaved(value);
    } catch (error) {
      if (isNew || !(error instanceof Problem) || error.status !== 412) throw error;
      const { value, headers } = await request<Values>(path);
      theirs.value = { record: value, etag: headers.get('etag') };
    }
  };
  const { onSubmit, onInput, isBusy, errors, failure } = useSending(
    fields.map(({ name }) => name),
    save,
  );
  const isShown = (name: string): boolean => {
    const field = resource.fields.find((each) => each.name === name);
    const { required = false, secret = false, default: standard, members } = field ?? {};
    return (
      required ||
      name === asked ||
      // There is no default that a person could do without typing it, such as a password.
      (isNew && secret) ||
      resource.summary.includes(name) ||
      !isSame(start[name], standard) ||
      // What one sees chosen decides which members it has, and some of them may be required.
      (members !== undefined && isShown(members.by))
    );
  };
  const rows = {
    siblings: resource.fields,
    values: values.value,
    errors,
    set: (name: string, value: unknown) => {
      values.value = { ...values.value, [name]: value };
    },
  };
  const first = fields.filter(({ name }) => isShown(name));
  const rest = fields.filter(({ name }) => !isShown(name));
  const beside = children?.(values.value);
  return (
    <form ref={form} class="record-form" noValidate onSubmit={onSubmit} onInput={onInput}>
      <div class={beside === undefined ? 'fields' : 'fields two'}>
        <div>
          <FieldRows of={first} {...rows} />
          <FurtherFields of={rest} {...rows} />
        </div>
        {beside !== undefined && <aside>{beside}</aside>}
      </div>
      {theirs.value && base.value && (
        <Conflict
          fields={resource.fields}
          base={base.value}
          mine={values.value}
          theirs={theirs.value.record}
          onResolved={(merged) => {
            base.value = theirs.value?.record ?? null;
            version.value = theirs.value?.etag ?? null;
            values.value = merged;
            theirs.value = null;
          }}
        />
      )}
      <div class="save">
        <Mistake of={failure} />
        <div class="acts">
          <button type="submit" class="primary" aria-busy={isBusy} disabled={!isChanged}>
            {isBusy ? text.saving : isNew ? text.create : text.save(Object.keys(changes).length)}
          </button>
          <button type="button" onClick={onCancel}>
            {words.value.act.cancel}
          </button>
        </div>
      </div>
    </form>
  );
}

function defaultsOf({ fields }: ResourceModel): Values {
  return Object.fromEntries(fields.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])));
}

/** Gives a field the focus, where the reader sees it; of a list, its last member has it. */
function focusField(form: HTMLFormElement, name: string): void {
  const field = form.querySelector<HTMLElement>(`#${idOfField(name)}`);
  if (!field) return;
  const inputs = field.querySelectorAll<HTMLElement>('input, select, textarea');
  const input = [...inputs].at(-1) ?? (field.querySelector('button') || field);
  input.focus({ preventScroll: true });
  input.scrollIntoView({ block: 'center' });
}

/** Has the browser ask before the page is left with changes that are not saved. */
function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent) => {
      // A user who signs out leaves nothing to the next one, and is asked nothing.
      if (session.peek() !== undefined) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
