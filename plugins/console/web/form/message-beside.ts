import type { FieldModel } from '../data/model.ts';
import { messageOf, Problem } from '../data/problem.ts';
import { words } from '../words/words.ts';
import { problemsOf } from './values.ts';

/** What a form says beneath its fields of a save that failed: how many of them are wrong, where each says why itself. */
export function messageBeside(fields: readonly Pick<FieldModel, 'name'>[], error: unknown): string {
  if (!(error instanceof Problem)) return messageOf(error);
  const { errors } = error;
  const shown = fields.flatMap(({ name }) => problemsOf(errors, name));
  return shown.length > 0 && shown.length === errors.length ? words.value.form.invalid(shown.length) : messageOf(error);
}
