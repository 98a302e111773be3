import { array, boolean, mixed, object, string } from 'yup';
import { mapOf, type Scalar, scalar, sized } from '../field/structured.ts';
import { isPlainObject } from '../field/value-path.ts';
import { declarableKey } from './environment-map.ts';

export const variableTypes = [
  'text',
  'string',
  'password',
  'secret',
  'file-path',
  'email',
  'url',
  'integer',
  'float',
  'bool',
  'set',
] as const;

export const severities = ['success', 'info', 'warning', 'error', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** One environment variable that an App understands. */
export interface Variable {
  /** @default 'string' */
  readonly type?: (typeof variableTypes)[number] | undefined;
  readonly description?: string | null | undefined;
  readonly hint?: string | null | undefined;
  readonly default?: Scalar | null | undefined;
  readonly required?: boolean | undefined;
  readonly category?: string | null | undefined;
  readonly options?: unknown;
}

/** The meaning of an exit code. An attempt succeeds with 0 and with codes that are declared `success` or `info`. */
export interface ExitCode {
  /** @default 'success' for 0, 'error' for any other */
  readonly severity?: Severity | undefined;
  /** Whether a failed attempt may be made again. @default true */
  readonly retry?: boolean | undefined;
  readonly description?: Readonly<Record<string, string>> | null | undefined;
}

/** Files of an attempt's working directory that are stored as artifacts. */
export interface ArtifactPattern {
  readonly name: string;
  /** A regular expression over paths relative to the working directory. */
  readonly path: string;
  /** Their media type. @default what the file's name suggests */
  readonly type?: string | null | undefined;
  readonly description?: string | null | undefined;
}

const optionalText = (max: number) => string().max(max).nullable();

/** The choices of a variable or a field: a list of texts, or an object with the choices as its keys. */
export const choices = sized(mixed().nullable(), 65_536);

const variable = object({
  type: string().oneOf(variableTypes),
  description: optionalText(65_535),
  hint: optionalText(65_535),
  default: scalar.nullable(),
  required: boolean(),
  category: optionalText(255),
  options: choices,
}).noUnknown();

const language = { pattern: /^[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/, description: 'the code of a language' };
const code = { pattern: /^(?:0|[1-9]\d{0,9})$/, description: 'an exit code' };
const exitCode = object({
  severity: string().oneOf(severities),
  retry: boolean(),
  description: mapOf(string().max(65_535).defined(), language).nullable(),
}).noUnknown();

const artifact = object({
  name: string().max(255).required(),
  path: string().max(1024).required(),
  type: string().max(255).nullable(),
  description: optionalText(65_535),
}).noUnknown();

/** `{KEY: {type, default, required, …}}` */
export const variables = mapOf<Variable>(variable, declarableKey);
/** `{"0": {severity, retry, description}}` */
export const exitCodes = mapOf<ExitCode>(exitCode, code);
export const artifactPatterns = array().of<ArtifactPattern>(artifact).max(100).defined();

/** Whether the values of a variable, or of a credential's field, are secret by its type. */
export function isSecretType(type: string | undefined): boolean {
  return type === 'password' || type === 'secret';
}

/** Returns the names of the variables that an App declares secret. */
export function secretVariables(environment: Readonly<Record<string, Variable>>): string[] {
  return Object.keys(environment).filter((key) => isSecretType(environment[key]?.type));
}

/** Returns the defaults of variables, as texts, of those that have one. */
export function defaultsOf(environment: Readonly<Record<string, Variable>>): Record<string, string> {
  const withDefault = Object.entries(environment).filter(([, variable]) => (variable.default ?? null) !== null);
  return Object.fromEntries(withDefault.map(([key, variable]) => [key, String(variable.default)]));
}

/** Returns the choices of a `set` or `select`: the texts of a list, or the keys of an object. */
export function choicesOf(options: unknown): string[] {
  if (Array.isArray(options)) return options.map(String);
  return isPlainObject(options) ? Object.keys(options) : [];
}
