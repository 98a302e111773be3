import { canonicalJson } from '../audit/chain.ts';
import { fits } from '../field/field-meta.ts';
import { stableUuid } from '../field/stable-id.ts';
import { type Scalar, scalar } from '../field/structured.ts';
import { App } from './app.ts';
import type { AppInput } from './app-input.ts';
import { type ArtifactPattern, type ExitCode, isSecretType, type Variable } from './declarations.ts';
import type { DefinedVariable, Definition, Localized } from './definition-schema.ts';
import { readLocalized, type Translations } from './localized.ts';
import { splitWords } from './split-words.ts';

/** The App that a valid definition describes. What the App has no field for goes to `extra`. */
export function appOf(definition: Definition): AppInput {
  const translations: Translations = {};
  const { name, title, description, executable, environment, kubernetes, image, homepage, ...rest } = definition;
  const { uuid, code, topics, stdin, enabled, ...more } = rest;
  const { version, setup, deploy, tags, requirements, ociimage, resultfile, ...others } = more;
  const { produces, consumes, exitCodes, artifacts, cmdparams, cmdparamsTemplate, ...unknown } = others;
  const main = readLocalized(name, 'name', translations);
  const shownImage = image !== undefined && fits(App, 'image', image);
  const shownHomepage = homepage !== undefined && fits(App, 'homepage', homepage);
  return {
    uuid: uuid?.toLowerCase() ?? identityOf(code, main, executable),
    ...given({ code, topic_names: topics, stdin, enabled }),
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
        // The line is kept as it was written, to be written the same way again.
        cmdparamsTemplate,
        cmdparams,
        homepage: shownHomepage ? undefined : homepage,
        image: shownImage ? undefined : image,
        kubernetes: kubernetes && withoutChart(kubernetes),
        environment: keptOf(environment),
      }),
    },
  };
}

/**
 * Files without a UUID are told apart by their code, or by name and executable where they have none, so that importing
 * one again finds the App it made and never one of another file that happens to have the same name.
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

/** A default that a variable can have: lists and objects become text, as they would in an environment. */
export function defaultOf(defval: unknown): Scalar | null | undefined {
  if (defval === undefined || defval === null || scalar.isValidSync(defval, { strict: true })) return defval as Scalar;
  return canonicalJson(defval);
}

/** What is said of variables beyond what a variable of an App holds. Never a secret: nothing in `extra` is encrypted. */
function keptOf(environment: Definition['environment']): Record<string, unknown> | undefined {
  const kept = mapped(environment, (variable) => {
    const { type, category, description, hint, defval, required, options, ...unknown } = variable;
    const asStored = defaultOf(defval) === defval || isSecretType(type) ? undefined : defval;
    return { ...unknown, ...given({ defval: asStored }) };
  });
  const some = Object.entries(kept).filter(([, values]) => Object.keys(values).length > 0);
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

/** The format's default is not to retry, an App's is to retry, so it is always said. */
function exitCodeOf(code: NonNullable<Definition['exitCodes']>[string]): ExitCode {
  const { description, retry = false } = code;
  return { ...code, retry, description: typeof description === 'string' ? { en: description } : description };
}

function artifactOf(
  { name, path, type, description }: NonNullable<Definition['artifacts']>[number],
  index: number,
  translations: Translations,
): ArtifactPattern {
  const said = description && readLocalized(description, `artifacts.${index}.description`, translations);
  return {
    name: readLocalized(name, `artifacts.${index}.name`, translations),
    path,
    type,
    ...given({ description: said }),
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

/** Lists and objects that a file holds though nothing is in them: an exported file says so too. */
function empty(values: Record<string, object | undefined>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value && Object.keys(value).length === 0));
}
