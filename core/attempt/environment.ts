import { isSecretType, type Variable } from '../app/declarations.ts';
import { checkVariable } from '../app/variable-value.ts';
import { type CredentialField, isSecretField } from '../credential/credential-field.ts';
import type { Scalar } from '../field/structured.ts';

type Texts = Readonly<Record<string, string>>;

/** The layers of a job's environment; later ones win. Their secrets are decrypted. */
export interface EnvironmentSources {
  readonly app: {
    readonly executable: string;
    readonly arguments: readonly string[];
    readonly environment: Readonly<Record<string, Variable>>;
  };
  readonly company: Texts;
  readonly template: Texts;
  readonly credentials: readonly {
    readonly values: Readonly<Record<string, Scalar | null>>;
    /** Null for a credential without a type: all of its values are secret. */
    readonly fields: readonly CredentialField[] | null;
  }[];
  /** One-off values of this job, or values taken from an event. */
  readonly overrides: Texts;
  /** The service's own variables: `HORARIUM_JOB_ID` and the like. */
  readonly service: Texts;
  /** Keys whose values are secret by other declarations than those above. */
  readonly secretKeys?: ReadonlySet<string>;
}

export interface ResolvedEnvironment {
  readonly environment: Readonly<Record<string, string>>;
  readonly executable: string;
  readonly arguments: readonly string[];
  /** The keys of the environment whose values are secret. */
  readonly secretKeys: ReadonlySet<string>;
  /** The values to mask wherever they would be shown. */
  readonly secrets: readonly string[];
  /** A sentence naming the required keys that have no value; null when all have one. */
  readonly missing: string | null;
  /** A sentence naming the keys whose values are not of the types that the App declares; null when all are. */
  readonly wrong: string | null;
}

/**
 * Resolves the environment and the arguments of an attempt. `{KEY}` and `${KEY}` of declared keys are replaced inside
 * each argument and in the values of the app, the company and the template, in one pass: replaced text is not scanned
 * again. Values of credentials, of one job and of events are never scanned, so that no secret leaks through them. A
 * declared key without a value is replaced by the empty text.
 */
export function resolveEnvironment(sources: EnvironmentSources): ResolvedEnvironment {
  const { app } = sources;
  const fields = sources.credentials.flatMap((credential) => credential.fields ?? []);
  const declared = new Set([...Object.keys(app.environment), ...fields.map((field) => field.keyword)]);
  const plain = { ...defaultsOf(app.environment), ...sources.company, ...sources.template };
  const given = { ...credentialValues(sources.credentials), ...sources.overrides, ...sources.service };
  const raw = new Map(Object.entries({ ...plain, ...given }));
  const environment: Record<string, string> = {};
  for (const [key, value] of raw) environment[key] = Object.hasOwn(given, key) ? value : fill(value, declared, raw);
  const complete = new Map(Object.entries(environment));
  const secretKeys = secretKeysOf(sources, fields, environment);
  return {
    environment,
    executable: app.executable,
    arguments: app.arguments.map((element) => fill(element, declared, complete)),
    secretKeys,
    secrets: secretValues(sources, secretKeys, environment),
    missing: missingOf(sources, fields, environment),
    wrong: wrongOf(app.environment, environment),
  };
}

function fill(text: string, declared: ReadonlySet<string>, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$?\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, key: string) =>
    declared.has(key) ? (values.get(key) ?? '') : whole,
  );
}

function defaultsOf(variables: Readonly<Record<string, Variable>>): Texts {
  const given = Object.entries(variables).filter(([, variable]) => (variable.default ?? null) !== null);
  return Object.fromEntries(given.map(([key, variable]) => [key, String(variable.default)]));
}

function credentialValues(credentials: EnvironmentSources['credentials']): Texts {
  const entries = credentials.flatMap(({ values, fields }) => {
    const initial = (fields ?? []).map((field): [string, unknown] => [field.keyword, field.default ?? null]);
    const set = Object.entries(values).filter(([, value]) => value !== null);
    return Object.entries({ ...Object.fromEntries(initial), ...Object.fromEntries(set) });
  });
  const given = entries.filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([key, value]) => [key, String(value)]));
}

function secretKeysOf(sources: EnvironmentSources, fields: readonly CredentialField[], environment: Texts) {
  const untyped = sources.credentials.filter((credential) => credential.fields === null);
  const secret = new Set([
    ...Object.keys(environment).filter((key) => isSecretType(sources.app.environment[key]?.type)),
    ...fields.filter(isSecretField).map((field) => field.keyword),
    ...untyped.flatMap((credential) => Object.keys(credential.values)),
    ...(sources.secretKeys ?? []),
  ]);
  return new Set([...secret].filter((key) => Object.hasOwn(environment, key)));
}

/** The secret values of every layer, not only of the one that won: a company's secret may be part of another value. */
function secretValues(sources: EnvironmentSources, keys: ReadonlySet<string>, environment: Texts): string[] {
  const layers = [
    defaultsOf(sources.app.environment),
    sources.company,
    sources.template,
    credentialValues(sources.credentials),
    sources.overrides,
    environment,
  ];
  const values = layers.flatMap((layer) => [...keys].flatMap((key) => ownText(layer, key) ?? []));
  return [...new Set(values)].filter((value) => value.trim() !== '');
}

function missingOf({ app }: EnvironmentSources, fields: readonly CredentialField[], environment: Texts): string | null {
  const required = [
    ...Object.keys(app.environment).filter((key) => app.environment[key]?.required),
    ...fields.filter((field) => field.required).map((field) => field.keyword),
  ];
  const missing = [...new Set(required)].filter((key) => (ownText(environment, key) ?? '') === '');
  if (missing.length === 0) return null;
  const [what, has] = missing.length === 1 ? ['variable', 'has'] : ['variables', 'have'];
  return `the required ${what} ${missing.join(', ')} ${has} no value`;
}

function wrongOf(variables: Readonly<Record<string, Variable>>, environment: Texts): string | null {
  const wrong = Object.entries(variables).flatMap(([key, variable]) => {
    const problem = checkVariable(variable, ownText(environment, key) ?? '');
    return problem ? [`the variable ${key} ${problem}`] : [];
  });
  return wrong.length > 0 ? wrong.join('; ') : null;
}

/** The value of a key, which may be a name that every object has already, such as `constructor`. */
function ownText(texts: Texts, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}
