import {
  environmentKey,
  type Field,
  type FieldError,
  fieldErrors,
  invalid,
  isPlainObject,
  mapOf,
  type Severity,
  severities,
  splitWords,
  throwIfInvalid,
} from '@horarium/core/plugin';
import { array, boolean, lazy, mixed, number, object, type StringSchema, string, ValidationError } from 'yup';
import type { Translated } from './localized.ts';

/**
 * The format of application definition files, version 3.4.0. Top-level keys that it does not name are allowed; those of
 * them that we read are checked too. The fields of the App limit the length of the texts.
 */

const languages =
  'en cs sk de fr es it pl nl pt sv fi da no hu ro bg el tr hr sl et lv lt ru uk ja zh ko ar he hi'.split(' ');

const says =
  (words: string) =>
  ({ path }: { path: string }) =>
    `${path} ${words}`;
const isRequired = says('is required');

const translations = (text: Field) =>
  mapOf<string>(text, {
    pattern: new RegExp(`^(?:${languages.join('|')})$`),
    description: 'a language code that app definitions may have',
  }).test('some', says('must have at least one language'), (map) => !map || Object.keys(map).length > 0);
const translated = translations(string().defined());

const localized = () =>
  lazy((value: unknown) => (isPlainObject(value) ? translated : string().typeError(says('must be text or {en: …}'))));
const requiredLocalized = () =>
  lazy((value: unknown) => (isPlainObject(value) ? translated : string().defined(isRequired)));

const anObject = (shape: Record<string, unknown>) => object(shape as never).typeError(says('must be an object'));
const closed = (shape: Record<string, unknown>) =>
  anObject(shape).noUnknown(({ path, unknown }) => `${path} has keys this format does not know: ${unknown}`);
const mapWith = (value: unknown, pattern: RegExp, description: string) =>
  mapOf(value as Field, { pattern, description }).typeError(says('must be an object'));

const texts = () => array().of(string().defined());
const absoluteUri = () => string().matches(/^[a-z][a-z\d+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/i, says('is not a URI'));
const dnsLabel = () => string().matches(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, says('is not a DNS label'));
const dataFormat = () => string().oneOf(['file', 'json', 'text', 'url', 'custom']);
const requiredIfTrue = ([enabled]: unknown[], field: StringSchema) =>
  enabled === true ? field.required(isRequired) : field;
const dataName = /^[\w-]+$/;
const eventName = /^[\w.-]+$/;

const variable = anObject({
  type: string().oneOf(['string', 'file-path', 'email', 'url', 'integer', 'float', 'bool', 'password', 'set', 'text']),
  category: string().oneOf(['API', 'Database', 'Behavior', 'Security', 'Other']),
  description: localized(),
  hint: localized(),
  required: boolean(),
  options: mixed((value): value is object => typeof value === 'object').typeError(says('must be a list or an object')),
});

const helm = closed({
  enabled: boolean(),
  releaseName: dnsLabel().when('enabled', requiredIfTrue),
  namespace: dnsLabel(),
  // The published schema refuses `./name`, which two of its patterns match; here it is a path.
  chart: string()
    .matches(/^oci:\/\/.|^[\w.-]+\/[\w.-]+$|^(?:\.\/|\.\.\/|\/)./, says('is not a path, oci:// address or repo/chart'))
    .when('enabled', requiredIfTrue),
  valuesFiles: texts().min(1),
  set: mapWith(
    mixed((value): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value))
      .defined()
      .typeError(says('must be text, a number, true or false')),
    /^/,
    'a name',
  ),
  upgradeInstall: boolean(),
  timeoutSeconds: number().integer().min(1).max(3600),
  atomic: boolean(),
  wait: boolean(),
});

const exitCode = closed({
  description: requiredLocalized(),
  severity: string().oneOf(severities),
  retry: boolean(),
});

const artifact = closed({
  name: requiredLocalized(),
  path: string().defined(isRequired),
  type: string().defined(isRequired),
  description: localized(),
});

const events = closed({
  emits: mapWith(
    anObject({
      description: localized(),
      evidence: string(),
      operation: string().oneOf(['create', 'update', 'delete', 'any']),
    }),
    eventName,
    'the name of an event',
  ),
  consumes: mapWith(anObject({ description: localized(), format: dataFormat() }), eventName, 'the name of an event'),
});

const appName = string().required(isRequired);

const definitionSchema = anObject({
  $schema: absoluteUri().required(isRequired),
  name: lazy((value: unknown) => (isPlainObject(value) ? translations(appName) : appName)),
  title: localized(),
  description: requiredLocalized(),
  image: string(),
  author: string(),
  license: string(),
  category: string(),
  tags: texts(),
  homepage: absoluteUri(),
  uuid: string().matches(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i, says('is not a UUID')),
  version: string().matches(/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){0,3}$/, says('is not a version such as 1.2.3')),
  schemaVersion: string(),
  ociimage: string().matches(/^[\w./:-]+$/, says('is not a name of an image')),
  executable: string().required(isRequired),
  cmdparamsTemplate: string(),
  environment: mapWith(variable, environmentKey.pattern, environmentKey.description).defined(isRequired),
  artifacts: array().of(artifact),
  produces: mapWith(
    anObject({
      description: localized(),
      patterns: texts(),
      format: dataFormat().defined(isRequired),
    }),
    dataName,
    'a name for data',
  ),
  consumes: mapWith(
    anObject({
      description: localized(),
      required: boolean(),
      format: dataFormat().defined(isRequired),
    }),
    dataName,
    'a name for data',
  ),
  events,
  exitCodes: mapWith(exitCode, /^\d+$/, 'an exit code'),
  kubernetes: closed({
    helm: helm.defined(isRequired).default(undefined),
    artifacts: closed({ enabled: boolean(), outputPath: string(), keepPodOnFailure: boolean() }),
  }),
  requirements: texts(),
  cmdparams: string(),
  code: string().min(1),
  topics: texts(),
  setup: string(),
  deploy: string(),
  resultfile: string(),
  stdin: string(),
  enabled: boolean(),
  executors: texts(),
});

export type Localized = string | Translated;

/** What a file that follows `definitionSchema` holds, as far as we read it. */
export interface Definition {
  readonly [key: string]: unknown;
  readonly name: Localized;
  readonly title?: Localized;
  readonly description: Localized;
  readonly image?: string;
  readonly tags?: string[];
  readonly homepage?: string;
  readonly uuid?: string;
  readonly version?: string;
  readonly ociimage?: string;
  readonly executable: string;
  readonly cmdparamsTemplate?: string;
  readonly environment: Record<string, DefinedVariable>;
  readonly artifacts?: { name: Localized; path: string; type: string; description?: Localized }[];
  readonly produces?: Record<string, unknown>;
  readonly consumes?: Record<string, unknown>;
  readonly exitCodes?: Record<string, { description: Localized; severity?: Severity; retry?: boolean }>;
  readonly kubernetes?: { readonly helm: Record<string, unknown>; readonly [key: string]: unknown };
  readonly requirements?: string[];
  readonly cmdparams?: string;
  readonly code?: string;
  readonly topics?: string[];
  readonly setup?: string;
  readonly deploy?: string;
  readonly resultfile?: string;
  readonly stdin?: string;
  readonly enabled?: boolean;
  readonly executors?: string[];
}

export interface DefinedVariable {
  readonly [key: string]: unknown;
  readonly type?: string;
  readonly category?: string;
  readonly description?: Localized;
  readonly hint?: Localized;
  readonly defval?: unknown;
  readonly required?: boolean;
  readonly options?: unknown;
}

/**
 * Checks that data is an application definition, and that its command line can be split into words.
 * @param what names it in the sentence that refuses it. @throws HorariumError `invalid` with the path of each wrong key.
 */
export function checkDefinition(given: unknown, what: string): asserts given is Definition {
  if (!isPlainObject(given)) throw invalid(what, [{ field: 'definition', message: 'a definition must be an object' }]);
  const errors: FieldError[] = [];
  try {
    definitionSchema.validateSync(given, { strict: true, abortEarly: false });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    errors.push(...fieldErrors('definition', error));
  }
  for (const key of ['cmdparamsTemplate', 'cmdparams']) errors.push(...unsplittable(given, key));
  throwIfInvalid(what, errors);
}

function unsplittable(given: Record<string, unknown>, key: string): FieldError[] {
  const line = given[key];
  if (typeof line !== 'string') return [];
  try {
    splitWords(line);
    return [];
  } catch (error) {
    return [{ field: key, message: `${key} ${(error as Error).message}` }];
  }
}
