import type { FieldModel, Model, ResourceModel } from '../data/model.ts';
import { changedMembers, isMap, isSame, type Values } from '../form/values.ts';

/** `[before, after]` of each field that changed. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown]>>;

/** An entry of the audit log. */
export interface AuditEntry {
  readonly id: number;
  readonly created_at: string;
  readonly user_id: number | null;
  readonly channel: string;
  readonly actor: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly entity_type: string;
  /** 0 = it holds the changes of several records, by their ids. */
  readonly entity_id: number;
  readonly company_id: number | null;
  readonly changes: Changes;
  readonly ip: string | null;
  readonly request_id: string | null;
  readonly seq: number | null;
  readonly hash: string | null;
  readonly forged: boolean;
}

/** Returns an entry that pages can show: a forged one holds anything, and what is no time and no change is left out of it. */
export function shownEntry(entry: AuditEntry): AuditEntry {
  if (!entry.forged) return entry;
  const { entity_id, created_at, changes } = entry;
  const shown = entity_id === 0 ? mapValues(changes, soundChanges) : soundChanges(changes);
  return { ...entry, created_at: typeof created_at === 'string' ? created_at : '', changes: shown as Changes };
}

function soundChanges(changes: unknown): Changes {
  return mapValues(changes, (change) => (Array.isArray(change) ? [change[0], change[1]] : [null, change])) as Changes;
}

function mapValues(values: unknown, mapped: (value: unknown) => unknown): Values {
  return isMap(values) ? Object.fromEntries(Object.entries(values).map(([name, each]) => [name, mapped(each)])) : {};
}

/** The changes of each record that an entry holds. */
export function changesByRecord({ entity_id, changes }: AuditEntry): readonly (readonly [id: number, Changes])[] {
  if (entity_id !== 0) return [[entity_id, changes]];
  return Object.entries(changes as unknown as Readonly<Record<string, Changes>>).map(([id, each]) => [
    Number(id),
    each,
  ]);
}

export function resourceOf({ entity_type }: AuditEntry, model: Model | null): ResourceModel | undefined {
  return model?.resources.find(({ name }) => name === entity_type);
}

/** What became of a field, or of one value of a map such as the environment. */
export interface ChangedValue {
  readonly label: string;
  /** The language of the label, where it is another one than that of the pages. */
  readonly lang: string | undefined;
  readonly field: FieldModel;
  readonly before: unknown;
  readonly after: unknown;
}

/** Lists what a change did to the fields of a record, without those that are empty before and after. */
export function changedValues(changes: Changes, resource: ResourceModel | undefined): readonly ChangedValue[] {
  return Object.entries(changes).flatMap(([name, [before, after]]) => {
    if (isEmpty(before) && isEmpty(after)) return [];
    const field = resource?.fields.find((each) => each.name === name) ?? { name, label: name, type: 'json' };
    const { label, lang } = field;
    return changedMembers(before, after).map(({ member, ...change }) =>
      member === null
        ? { label, lang, field, ...change }
        : { label: `${label} ${member}`, lang, field: memberField(field, member), ...change },
    );
  });
}

/** Describes a member of a map as a field. */
function memberField(field: FieldModel, member: string): FieldModel {
  return { ...field.value, name: member, label: member, type: field.value?.type ?? 'json' };
}

/** Whether a value says nothing: none, or a list or a map without members. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || isSame(value, []) || isSame(value, {});
}

const maxShort = 48;

/** Whether a value can stand in a sentence. */
export function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= maxShort && !value.includes('\n');
  return typeof value !== 'object' || isEmpty(value);
}
