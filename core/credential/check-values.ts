import { choicesOf } from '../app/declarations.ts';
import type { FieldError } from '../errors.ts';
import { text } from '../field/fields.ts';
import type { Scalar } from '../field/structured.ts';
import { email, webAddress } from '../field/web-fields.ts';
import { readField } from '../records/input.ts';
import { isCiphertext } from '../secret/ciphertext.ts';
import type { CredentialField } from './credential-field.ts';

type Values = Readonly<Record<string, Scalar | null>>;

/** In characters: a key or a certificate fits. */
const maxValue = 65_536;

const readers = { email: email(), url: webAddress(), text: text(maxValue) };

/** Checks a credential's values against the fields of its type. A ciphertext was checked when its value was saved. */
export function checkValues(fields: readonly CredentialField[], values: Values): FieldError[] {
  const errors: FieldError[] = [];
  const known = new Map(fields.map((field) => [field.keyword, field]));
  for (const [keyword, value] of Object.entries(values)) {
    const field = known.get(keyword);
    const place = `values.${keyword}`;
    if (!field) errors.push({ field: place, message: `${keyword} is not a field of this credential type` });
    else if (value !== null && !isCiphertext(value)) checkValue(place, field, value, errors);
  }
  for (const { keyword, required, default: initial } of fields) {
    const unset = (values[keyword] ?? '') === '' && (initial ?? '') === '';
    if (required && unset) errors.push({ field: `values.${keyword}`, message: `${keyword} is required` });
  }
  return errors;
}

function checkValue(place: string, field: CredentialField, value: Scalar, errors: FieldError[]): void {
  const refuse = (message: string) => errors.push({ field: place, message: `${place} must be ${message}` });
  if (field.type === 'integer') {
    if (!/^-?\d{1,15}$/.test(String(value))) refuse('a whole number');
  } else if (field.type === 'boolean') {
    if (!['true', 'false', '0', '1'].includes(String(value))) refuse('true or false');
  } else if (field.type === 'select') {
    const choices = choicesOf(field.options);
    if (!choices.includes(String(value))) refuse(`one of ${choices.join(', ')}`);
  } else {
    const reader = field.type === 'email' || field.type === 'url' ? readers[field.type] : readers.text;
    readField(place, reader, String(value), errors);
  }
}
