import type { ComponentProps } from 'preact';
import { words } from '../words/words.ts';
import { FieldRows } from './field-rows.tsx';
import { problemsOf } from './values.ts';

/** Fields that few need, which can be opened; they are open while one of them is wrong. */
export function FurtherFields(props: ComponentProps<typeof FieldRows>) {
  const { of: fields, errors } = props;
  if (fields.length === 0) return null;
  const hasMistake = fields.some(({ name }) => problemsOf(errors, name).length > 0);
  return (
    <details open={hasMistake || undefined}>
      <summary>
        <span class="if-closed">{words.value.form.more(fields.length)}</span>
        <span class="if-open">{words.value.form.fewer}</span>
      </summary>
      <FieldRows {...props} />
    </details>
  );
}
