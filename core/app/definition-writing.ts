import type { AppInput } from './app-input.ts';
import { isSecretType, type Variable } from './declarations.ts';
import { defaultOf } from './definition-reading.ts';
import { type Translated, writeLocalized } from './localized.ts';
import { joinWords, splitWords } from './split-words.ts';

/** What a file names as its schema where the App was not imported. */
const schemaAddress =
  'https://raw.githubusercontent.com/VitexSoftware/php-vitexsoftware-multiflexi-core/refs/heads/main/multiflexi.app.schema.json';

type Unknown = Readonly<Record<string, unknown>>;

/** The definition that describes an App: the reverse of reading one. Keys that say nothing are left out. */
export function definitionOf(app: AppInput): Unknown {
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
  const known = serializeRow({
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
  // Known keys come first and win; `extra` may hold them as empty lists, as the file did.
  return { ...known, ...unknown, ...known };
}

type Localize = (text: string | null | undefined, path: string) => string | Translated | undefined;

/** The line as it was written while it still says the same; else a new one under the key that was used. */
function commandLine(words: readonly string[], written: { cmdparams?: unknown; cmdparamsTemplate?: unknown }): Unknown {
  const key =
    written.cmdparamsTemplate !== undefined || written.cmdparams === undefined ? 'cmdparamsTemplate' : 'cmdparams';
  const line = written[key];
  if (line === undefined && words.length === 0) return {};
  const same = typeof line === 'string' && joinWords(splitWords(line)) === joinWords(words);
  return { ...written, [key]: same ? line : joinWords(words) };
}

function environmentOf(app: AppInput, extra: Unknown, localize: Localize): Unknown {
  return Object.fromEntries(
    Object.entries(app.environment ?? {}).map(([key, variable]) => {
      const kept = (Object.hasOwn(extra, key) ? extra[key] : {}) as Unknown;
      return [key, variableOf(key, variable, kept, localize)];
    }),
  );
}

function variableOf(key: string, variable: Variable, kept: Unknown, localize: Localize): Unknown {
  const { type, description, hint, category, required, options } = variable;
  const { defval, ...unknown } = kept;
  const known = serializeRow({
    // The format has one word for what must not be seen.
    type: type === 'secret' ? 'password' : type,
    category,
    description: localize(description, `environment.${key}.description`),
    hint: localize(hint, `environment.${key}.hint`),
    required,
    options,
  });
  const value = defval !== undefined && defaultOf(defval) === variable.default ? defval : variable.default;
  const shown = value !== undefined && !(isSecretType(type) && value);
  return { ...known, ...(shown ? { defval: value } : {}), ...unknown };
}

/** What an App leaves out is said: an undeclared `retry` means the opposite in the format. */
function exitCodesOf(app: AppInput): Unknown {
  return Object.fromEntries(
    Object.entries(app.exit_codes ?? {}).map(([code, { severity, retry = true, description }]) => {
      const said = description && Object.keys(description).length > 0;
      return [code, serializeRow({ description: said ? description : '', severity, retry })];
    }),
  );
}

function artifactsOf(app: AppInput, localize: Localize): Unknown[] {
  return (app.artifacts ?? []).map(({ name, path, type, description }, index) =>
    serializeRow({
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

function serializeRow(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}
