import { boolean, object, string } from 'yup';
import { choices, choicesOf, isSecretType } from '../app/declarations.ts';
import { declarableKey } from '../app/environment-map.ts';
import type { FieldError } from '../errors.ts';
import { text } from '../field/fields.ts';
import { maxScalar, type Scalar, scalar } from '../field/structured.ts';
import { email, webAddress } from '../field/web-fields.ts';
import { readField } from '../records/input.ts';
import { isCiphertext } from '../secret/ciphertext.ts';

export const credentialFieldTypes = [
  'string',
  'password',
  'secret',
  'email',
  'url',
  'integer',
  'boolean',
  'select',
  'textarea',
  'file',
] as const;

/** A field that a credential type declares. Jobs get its value as the environment variable named by its keyword. */
export interface CredentialField {
  readonly keyword: string;
  readonly name?: string | null | undefined;
  /** @default 'string' */
  readonly type?: (typeof credentialFieldTypes)[number] | undefined;
  readonly description?: string | null | undefined;
  readonly hint?: string | null | undefined;
  readonly required?: boolean | undefined;
  readonly secret?: boolean | undefined;
  readonly default?: Scalar | null | undefined;
  /** The choices of a `select`: a list of texts, or an object with the choices as its keys. */
  readonly options?: unknown;
}

const optionalText = (max: number) => string().max(max).nullable();

export const credentialField = object({
  keyword: string()
    .max(255)
    .matches(declarableKey.pattern, ({ path }: { path: string }) => `${path} is not ${declarableKey.description}`)
    .test('declarable', (keyword = '', context) => {
      const refusal = declarableKey.refuse?.(keyword) ?? null;
      return refusal === null || context.createError({ message: `${context.path} ${keyword} ${refusal}` });
    })
    .required(),
  name: optionalText(255),
  type: string().oneOf(credentialFieldTypes),
  description: optionalText(65_535),
  hint: optionalText(65_535),
  required: boolean(),
  secret: boolean(),
  default: scalar.nullable(),
  options: choices,
}).noUnknown();

export function isSecretField(field: CredentialField): boolean {
  return field.secret === true || isSecretType(field.type);
}

/** Returns the keywords of the secret fields: the names of the environment variables with their values. */
export function secretKeywords(fields: readonly CredentialField[]): string[] {
  return fields.filter(isSecretField).map(({ keyword }) => keyword);
}

type CredentialValues = Readonly<Record<string, Scalar | null>>;

const schemas = { email: email(), url: webAddress(), text: text(maxScalar) };

/** Checks a credential's values against the fields of its type. A ciphertext was checked when its value was saved. */
export function checkValues(fields: readonly CredentialField[], values: CredentialValues): FieldError[] {
  const errors: FieldError[] = [];
  const byKeyword = new Map(fields.map((field) => [field.keyword, field]));
  for (const [keyword, value] of Object.entries(values)) {
    const field = byKeyword.get(keyword);
    const path = `values.${keyword}`;
    if (!field) errors.push({ field: path, message: `${keyword} is not a field of this credential type` });
    else if (value !== null && !isCiphertext(value)) checkValue(path, field, value, errors);
  }
  for (const field of fields) {
    const { keyword } = field;
    if (isMissing(field, values)) errors.push({ field: `values.${keyword}`, message: `${keyword} is required` });
  }
  return errors;
}

/** Whether a field is required and has neither a value nor a default. */
export function isMissing(field: CredentialField, values: CredentialValues): boolean {
  return field.required === true && (values[field.keyword] ?? '') === '' && (field.default ?? '') === '';
}

function checkValue(path: string, field: CredentialField, value: Scalar, errors: FieldError[]): void {
  const mustBe = (expected: string) => errors.push({ field: path, message: `${path} must be ${expected}` });
  if (field.type === 'integer') {
    if (!/^-?\d{1,15}$/.test(String(value))) mustBe('a whole number');
  } else if (field.type === 'boolean') {
    if (!['true', 'false', '0', '1'].includes(String(value))) mustBe('true or false');
  } else if (field.type === 'select') {
    const choices = choicesOf(field.options);
    if (!choices.includes(String(value))) mustBe(`one of ${choices.join(', ')}`);
  } else {
    const schema = field.type === 'email' || field.type === 'url' ? schemas[field.type] : schemas.text;
    readField(path, schema, String(value), errors);
  }
}
