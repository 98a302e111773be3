import { boolean, mixed, object, string } from 'yup';
import { isSecretType } from '../app/declarations.ts';
import { type Scalar, scalar, settableKey } from '../field/structured.ts';

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

/** One value that credentials of a type have. Jobs get it in their environment, under its keyword. */
export interface CredentialField {
  readonly keyword: string;
  readonly name?: string | null | undefined;
  /** `string` when left out. */
  readonly type?: (typeof credentialFieldTypes)[number] | undefined;
  readonly description?: string | null | undefined;
  readonly hint?: string | null | undefined;
  readonly required?: boolean | undefined;
  readonly secret?: boolean | undefined;
  readonly default?: Scalar | null | undefined;
  /** The choices of a `select`: texts, or an object whose keys they are. */
  readonly options?: unknown;
}

const optionalText = (max: number) => string().max(max).nullable();

export const credentialField = object({
  keyword: string()
    .matches(settableKey.pattern, ({ path }: { path: string }) => `${path} is not ${settableKey.description}`)
    .required(),
  name: optionalText(255),
  type: string().oneOf(credentialFieldTypes),
  description: optionalText(65_535),
  hint: optionalText(65_535),
  required: boolean(),
  secret: boolean(),
  default: scalar.nullable(),
  options: mixed().nullable(),
}).noUnknown();

export function isSecretField(field: CredentialField): boolean {
  return field.secret === true || isSecretType(field.type);
}
