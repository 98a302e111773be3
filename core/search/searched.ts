import type { FieldDescription } from '../field/field-description.ts';
import { memoized } from '../registry/memoized.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { summaryFieldsOf } from '../resource/summary-fields.ts';

/** What people call a record by, the name first. */
const titleFields = ['name', 'title', 'login', 'code'];

/** The longest text that is searched: notes and descriptions are not. */
const maxLength = 1024;

/** What searches read of the records of a kind. */
export interface SearchedFields {
  /** The text that people call one by; undefined = they go by their ids. */
  readonly title: string | undefined;
  /** The other texts that tell it from others. */
  readonly others: readonly string[];
  /** The references of one without a title, to what it may belong to, such as the run template of a job. */
  readonly owners: readonly FieldDescription[];
  /** The columns that hold all of that, the id and the company. */
  readonly columns: readonly string[];
}

/** Returns what searches read of the records of a kind: the texts of its lists, and never a secret. */
export const searchedFieldsOf = memoized((resource: AnyResource): SearchedFields => {
  const texts = resource.columns.filter(isSearchable).map(({ name }) => name);
  const title = titleFields.find((name) => texts.includes(name));
  const summary = summaryFieldsOf(resource);
  const others = texts.filter((name) => name !== title && (summary.includes(name) || titleFields.includes(name)));
  const isOwner = ({ name, references }: FieldDescription) =>
    references !== undefined && name !== resource.company && summary.includes(name);
  const owners = title === undefined ? resource.columns.filter(isOwner) : [];
  const names = [title ?? 'id', ...others, ...owners.map(({ name }) => name)];
  return { title, others, owners, columns: [...new Set(['id', resource.company ?? 'id', ...names])] };
});

/** Whether people type in the text, and know it by its letters. */
function isSearchable({ kind, secret, hidden, readOnly, format, max = Infinity }: FieldDescription): boolean {
  const isNamed = format === undefined || format === 'email' || format === 'address';
  return kind === 'text' && !secret && !hidden && !readOnly && isNamed && max <= maxLength;
}

/** Whether people give the records of a kind a name, so that they look for them by words. */
export function isSearchedByWords(resource: AnyResource): boolean {
  return resource.operations.includes('save') && !resource.nested && searchedFieldsOf(resource).title !== undefined;
}

/** Whether people may know the ids of the records of a kind. */
export function isSearchedById({ operations, nested }: AnyResource): boolean {
  return operations.includes('get') && !nested;
}
