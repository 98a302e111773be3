import {
  App,
  type ArtifactPattern,
  canonicalJson,
  type ExitCode,
  type Field,
  type FieldError,
  fits,
  isSecretType,
  readField,
  readJson,
  type Scalar,
  scalar,
  splitWords,
  stableUuid,
  throwIfInvalid,
  type Variable,
} from '@horarium/core/plugin';
import type { DefinedApp } from './defined-app.ts';
import { checkDefinition, type DefinedVariable, type Definition, type Localized } from './definition-schema.ts';
import { readLocalized, type Translations } from './localized.ts';

/**
 * Reads an application definition file into the fields of an App.
 * @throws HorariumError `invalid` naming every error: the position where it is not JSON, else the path of each wrong key.
 */
export function readAppDefinition(text: string, file: string): DefinedApp {
  const given = readJson(text, file);
  checkDefinition(given, file);
  const app = appOf(given);
  const errors: FieldError[] = [];
  const { topic_names: _names, ...fields } = app;
  for (const [name, value] of Object.entries(fields)) readField(name, App.fields[name] as Field, value, errors);
  throwIfInvalid(file, errors);
  return app;
}

/** The App that a valid definition describes. What the App has no field for goes to `extra`. */
function appOf(definition: Definition): DefinedApp {
  const translations: Translations = {};
  const { name, title, description, executable, environment, kubernetes, image, homepage, ...rest } = definition;
  const { uuid, code, topics, stdin, enabled, executors, ...more } = rest;
  const { version, setup, deploy, tags, requirements, ociimage, resultfile, ...others } = more;
  const { produces, consumes, exitCodes, artifacts, cmdparams, cmdparamsTemplate, ...unknown } = others;
  const main = readLocalized(name, 'name', translations);
  const shownImage = image !== undefined && fits(App, 'image', image);
  const shownHomepage = homepage !== undefined && fits(App, 'homepage', homepage);
  return {
    uuid: uuid?.toLowerCase() ?? identityOf(code, main, executable),
    ...given({ code, topic_names: topics, stdin, enabled, executors }),
    name: main,
    description: readLocalized(description, 'description', translations) || null,
    version: version ?? null,
    executable,
    arguments: splitWords(cmdparamsTemplate ?? cmdparams ?? ''),
    setup: setup ?? null,
    deploy: deploy ?? null,
    homepage: shownHomepage ? homepage : null,
    image: shownImage ? image : null,
    oci_image: ociimage ?? null,
    helm_chart: (kubernetes?.helm['chart'] as string | undefined) ?? null,
    tags: tags ?? [],
    requirements: requirements ?? [],
    environment: mapped(environment, (variable, key) => variableOf(variable, key, translations)),
    exit_codes: mapped(exitCodes ?? {}, exitCodeOf),
    result_file: resultfile ?? null,
    artifacts: (artifacts ?? []).map((artifact, index) => artifactOf(artifact, index, translations)),
    produces: produces ?? {},
    consumes: consumes ?? {},
    translations,
    extra: {
      ...unknown,
      ...empty({ topics, tags, requirements, artifacts, produces, consumes, exitCodes }),
      ...given({
        title: title === undefined ? undefined : readLocalized(title, 'title', translations),
        // The line as it was written, so that an export writes it the same way.
        cmdparamsTemplate,
        cmdparams,
        homepage: shownHomepage ? undefined : homepage,
        image: shownImage ? undefined : image,
        kubernetes: kubernetes && withoutChart(kubernetes),
        environment: extraOf(environment),
      }),
    },
  };
}

/**
 * The UUID of a file that has none: of its code, else of its name and executable. So a second import finds the App of
 * the first, and never one of another file that happens to have the same name.
 */
function identityOf(code: string | undefined, name: string, executable: string): string {
  return stableUuid(code === undefined ? ['app', name, executable] : ['app', code]);
}

function variableOf(defined: DefinedVariable, key: string, translations: Translations): Variable {
  const { type, category, description, hint, defval, required, options } = defined;
  const text = (value: Localized | undefined, of: string) =>
    value === undefined ? undefined : readLocalized(value, `environment.${key}.${of}`, translations);
  const values = { type, category, required, options, default: defaultOf(defval) };
  return given({ ...values, description: text(description, 'description'), hint: text(hint, 'hint') }) as Variable;
}

/** A default as an App holds it: lists and objects become JSON text, as they would in an environment. */
export function defaultOf(defval: unknown): Scalar | null | undefined {
  if (defval === undefined || defval === null || scalar.isValidSync(defval, { strict: true })) return defval as Scalar;
  return canonicalJson(defval);
}

/** Keys of variables that an App has no member for. Never a secret: nothing in `extra` is encrypted. */
function extraOf(environment: Definition['environment']): Record<string, unknown> | undefined {
  const extra = mapped(environment, (variable) => {
    const { type, category, description, hint, defval, required, options, ...unknown } = variable;
    const asStored = defaultOf(defval) === defval || isSecretType(type) ? undefined : defval;
    return { ...unknown, ...given({ defval: asStored }) };
  });
  const some = Object.entries(extra).filter(([, values]) => Object.keys(values).length > 0);
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

/** `retry` is always set, as the format's default is not to retry and an App's is to retry. */
function exitCodeOf(code: NonNullable<Definition['exitCodes']>[string]): ExitCode {
  const { description, retry = false } = code;
  return { ...code, retry, description: typeof description === 'string' ? { en: description } : description };
}

function artifactOf(
  { name, path, type, description }: NonNullable<Definition['artifacts']>[number],
  index: number,
  translations: Translations,
): ArtifactPattern {
  const text = description && readLocalized(description, `artifacts.${index}.description`, translations);
  return {
    name: readLocalized(name, `artifacts.${index}.name`, translations),
    path,
    type,
    ...given({ description: text }),
  };
}

function withoutChart(kubernetes: NonNullable<Definition['kubernetes']>): Record<string, unknown> {
  const { chart: _chart, ...helm } = kubernetes.helm;
  return { ...kubernetes, helm };
}

function mapped<T, R>(values: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends Record<string, unknown>>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Lists and objects that a file holds though they are empty, so that its export holds them too. */
function empty(values: Record<string, object | undefined>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value && Object.keys(value).length === 0));
}
