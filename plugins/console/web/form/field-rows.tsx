import type { FieldModel } from '../data/model.ts';
import type { FieldProblem } from '../data/problem.ts';
import { FieldRow } from './field-input.tsx';
import type { Values } from './values.ts';

interface FieldRowsProps {
  /** Those that are shown. */
  readonly of: readonly FieldModel[];
  /** All of the form. */
  readonly siblings: readonly FieldModel[];
  readonly values: Values;
  readonly errors: readonly FieldProblem[];
  readonly set: (name: string, value: unknown) => void;
}

/** Fields of a form, one below the other. */
export function FieldRows({ of, ...rest }: FieldRowsProps) {
  return (
    <>
      {of.map((field) => (
        <FieldRow key={field.name} field={field} path={field.name} {...rest} />
      ))}
    </>
  );
}
