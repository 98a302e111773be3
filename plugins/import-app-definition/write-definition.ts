import { isSecretType, joinWords, splitWords, type Variable } from '@horarium/core/plugin';
import type { DefinedApp } from './defined-app.ts';
import { checkDefinition } from './definition-schema.ts';
import { type Translated, writeLocalized } from './localized.ts';
import { defaultOf } from './read-definition.ts';

/** The schema that a file names where the App was not imported. */
const schemaAddress =
  'https://raw.githubusercontent.com/VitexSoftware/php-vitexsoftware-multiflexi-core/refs/heads/main/multiflexi.app.schema.json';

type Unknown = Readonly<Record<string, unknown>>;

/**
 * Writes an App as an application definition file. The export of an imported file equals the file, except that defaults
 * are written out and values of secret variables are missing, which no channel shows. Fields that the format has no key
 * for are written under further keys that `readAppDefinition` understands.
 * @throws HorariumError `invalid` when the format cannot express the value of a field.
 */
export function writeAppDefinition(app: DefinedApp): string {
  const definition = definitionOf(app);
  checkDefinition(definition, `The definition of ${app.name}`);
  return `${JSON.stringify(definition, null, 2)}\n`;
}

/** The definition that describes an App: the reverse of reading one. Keys without a value are left out. */
function definitionOf(app: DefinedApp): Unknown {
  const {
    $schema = schemaAddress,
    title,
    environment,
    kubernetes,
    homepage,
    image,
    ...extra
  } = (app.extra ?? {}) as Unknown;
  const { cmdparams, cmdparamsTemplate, ...unknown } = extra;
  const localize: Localize = (text, path) =>
    typeof text === 'string' ? writeLocalized(text, path, app.translations ?? {}) : undefined;
  const known = withoutUnset({
    $schema,
    uuid: app.uuid,
    code: app.code,
    name: localize(app.name, 'name'),
    title: localize(title as string | undefined, 'title'),
    description: localize(app.description ?? '', 'description'),
    version: app.version,
    homepage: app.homepage ?? homepage,
    image: app.image ?? image,
    executable: app.executable,
    ...commandLine(app.arguments ?? [], { cmdparams, cmdparamsTemplate }),
    stdin: app.stdin,
    setup: app.setup,
    deploy: app.deploy,
    enabled: app.enabled === false ? false : undefined,
    ociimage: app.oci_image,
    executors: filled(app.executors),
    resultfile: app.result_file,
    topics: filled(app.topic_names),
    tags: filled(app.tags),
    requirements: filled(app.requirements),
    environment: environmentOf(app, (environment ?? {}) as Unknown, localize),
    exitCodes: filledObject(exitCodesOf(app)),
    artifacts: filled(artifactsOf(app, localize)),
    produces: filledObject(app.produces),
    consumes: filledObject(app.consumes),
    kubernetes: kubernetesOf(app.helm_chart, kubernetes as Unknown | undefined),
  });
  // Known keys come first, and their values win: `extra` keeps a known key that was an empty list in the file.
  return { ...known, ...unknown, ...known };
}

type Localize = (text: string | null | undefined, path: string) => string | Translated | undefined;

/** The line as it was imported while it still yields the same arguments; else a new one under the same key. */
function commandLine(
  words: readonly string[],
  imported: { cmdparams?: unknown; cmdparamsTemplate?: unknown },
): Unknown {
  const key =
    imported.cmdparamsTemplate !== undefined || imported.cmdparams === undefined ? 'cmdparamsTemplate' : 'cmdparams';
  const line = imported[key];
  if (line === undefined && words.length === 0) return {};
  const same = typeof line === 'string' && joinWords(splitWords(line)) === joinWords(words);
  return { ...imported, [key]: same ? line : joinWords(words) };
}

function environmentOf(app: DefinedApp, extra: Unknown, localize: Localize): Unknown {
  return Object.fromEntries(
    Object.entries(app.environment ?? {}).map(([key, variable]) => {
      const unknown = (Object.hasOwn(extra, key) ? extra[key] : {}) as Unknown;
      return [key, variableOf(key, variable, unknown, localize)];
    }),
  );
}

function variableOf(key: string, variable: Variable, extra: Unknown, localize: Localize): Unknown {
  const { type, description, hint, category, required, options } = variable;
  const { defval, ...unknown } = extra;
  const known = withoutUnset({
    // The format has one type for secrets.
    type: type === 'secret' ? 'password' : type,
    category,
    description: localize(description, `environment.${key}.description`),
    hint: localize(hint, `environment.${key}.hint`),
    required,
    options,
  });
  const value = defval !== undefined && defaultOf(defval) === variable.default ? defval : variable.default;
  const shown = value !== undefined && !hasSecretDefault(variable);
  return { ...known, ...(shown ? { defval: value } : {}), ...unknown };
}

/** Whether a variable has a default that no channel shows. */
export function hasSecretDefault(variable: Variable | undefined): boolean {
  return isSecretType(variable?.type) && Boolean(variable?.default);
}

/** `retry` is always written, as leaving it out means the opposite in the format. */
function exitCodesOf(app: DefinedApp): Unknown {
  return Object.fromEntries(
    Object.entries(app.exit_codes ?? {}).map(([code, { severity, retry = true, description }]) => {
      const isDescribed = description && Object.keys(description).length > 0;
      return [code, withoutUnset({ description: isDescribed ? description : '', severity, retry })];
    }),
  );
}

function artifactsOf(app: DefinedApp, localize: Localize): Unknown[] {
  return (app.artifacts ?? []).map(({ name, path, type, description }, index) =>
    withoutUnset({
      name: localize(name, `artifacts.${index}.name`),
      path,
      type,
      description: localize(description, `artifacts.${index}.description`),
    }),
  );
}

function kubernetesOf(chart: string | null | undefined, extra: Unknown | undefined): Unknown | undefined {
  if (!chart) return extra;
  return { ...extra, helm: { ...(extra?.['helm'] as Unknown), chart } };
}

function filled<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

function filledObject(values: Unknown | undefined): Unknown | undefined {
  return values && Object.keys(values).length > 0 ? values : undefined;
}

function withoutUnset(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}
