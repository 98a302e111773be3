import type { FieldModel } from '../data/model.ts';
import type { FieldProblem } from '../data/problem.ts';
import type { Values } from './values.ts';

/** What the input of a field gets. */
export interface InputProps {
  readonly id: string;
  readonly field: FieldModel;
  readonly path: string;
  readonly value: unknown;
  readonly values: Values;
  /** The fields beside it. */
  readonly siblings: readonly FieldModel[];
  readonly errors: readonly FieldProblem[];
  /** The id of the element that says what the field is for, and what is wrong with it. */
  readonly describedBy: string;
  readonly onChange: (value: unknown) => void;
}

/** The attributes that say which field it is, and whether it is wrong. */
export function inputAttributes({ id, path, errors, describedBy, field }: InputProps) {
  return {
    id,
    name: path,
    'aria-describedby': describedBy,
    'aria-invalid': errors.some((each) => each.field === path),
    'aria-required': field.required ?? false,
  };
}
