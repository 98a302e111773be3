import { defaultsOf, isSecretType, type Variable } from '../app/declarations.ts';
import { checkVariable } from '../app/variable-value.ts';
import { type CredentialField, secretKeywords } from '../credential/credential-field.ts';
import type { Scalar } from '../field/structured.ts';
import { mask } from '../secret/ciphertext.ts';
import { isTooShortToMask } from '../secret/short-secrets.ts';
import { excessMessage } from './attempt-size.ts';
import { type LayeredEnvironment, replaceAll, sizes, texts } from './layered-environment.ts';

type Texts = Readonly<Record<string, string>>;

/** The layers of a job's environment, with decrypted secrets; a later layer overrides an earlier one. */
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
  /** The one-off values that a person or an event gives this job. */
  readonly overrides: Texts;
  /** The variables that the service sets, such as `HORARIUM_JOB_ID`. */
  readonly service: Texts;
  /** Further variables whose values are secret, besides those that the App and the credentials declare. */
  readonly secretVariables?: ReadonlySet<string>;
}

export interface ResolvedEnvironment {
  readonly environment: Readonly<Record<string, string>>;
  readonly executable: string;
  readonly arguments: readonly string[];
  /** The names of the variables whose values are secret. */
  readonly secretVariables: ReadonlySet<string>;
  /** The secret values that are long enough to be masked in everything that is shown. */
  readonly secrets: readonly string[];
  /** A sentence naming the required keys that have no value; null when all have one. */
  readonly missing: string | null;
  /** A sentence naming the keys whose values are not of the types that the App declares; null when all are. */
  readonly invalid: string | null;
}

/**
 * Resolves the environment and the arguments of an attempt. Besides the variables of the service it hands on only those that
 * the App or the type of a credential declares: values of other keys, which a company may have or a declaration may have
 * left behind, never reach a job. `{KEY}` and `${KEY}` of declared keys are replaced inside
 * each argument and in the values of the app, the company and the template, in one pass: replaced text is not scanned
 * again. Values of credentials, of one job and of events are never scanned, so that no secret leaks through them. A
 * declared key without a value is replaced by the empty text.
 * @throws Error naming the variable or argument, before anything is built, when an attempt would be given too much.
 */
export function resolveEnvironment(sources: EnvironmentSources): ResolvedEnvironment {
  const { app } = sources;
  const fields = sources.credentials.flatMap((credential) => credential.fields ?? []);
  const layered = layerEnvironment(sources);
  const excess = excessMessage(app.executable, replaceAll(app.arguments, layered, sizes));
  if (excess !== null) throw new Error(excess);
  const replaced = replaceAll(app.arguments, layered, texts);
  const environment = Object.fromEntries(replaced.environment);
  const secretVariables = secretVariablesOf(sources, fields, environment);
  return {
    environment,
    executable: app.executable,
    arguments: replaced.arguments,
    secretVariables,
    secrets: secretValues(secretVariables, sources.service, [layered.values, replaced.environment]),
    missing: missingMessage(sources, environment),
    invalid: invalidMessage(app.environment, environment),
  };
}

function layerEnvironment(sources: EnvironmentSources): LayeredEnvironment {
  const { app, company, template, credentials, overrides, service } = sources;
  const literal = { ...credentialValues(credentials), ...overrides, ...service };
  const layers = Object.entries({ ...defaultsOf(app.environment), ...company, ...template, ...literal });
  const fields = credentials.flatMap((credential) => credential.fields ?? []);
  const declaredKeys = new Set([...Object.keys(app.environment), ...fields.map((field) => field.keyword)]);
  return {
    declaredKeys,
    values: new Map(layers.filter(([key]) => declaredKeys.has(key) || Object.hasOwn(service, key))),
    literalKeys: new Set(Object.keys(literal)),
  };
}

function credentialValues(credentials: EnvironmentSources['credentials']): Texts {
  const entries = credentials.flatMap(({ values, fields }) => {
    const defaults = (fields ?? []).map((field): [string, unknown] => [field.keyword, field.default ?? null]);
    const stored = Object.entries(values).filter(([, value]) => value !== null);
    return Object.entries({ ...Object.fromEntries(defaults), ...Object.fromEntries(stored) });
  });
  const present = entries.filter(([, value]) => value !== null);
  return Object.fromEntries(present.map(([key, value]) => [key, String(value)]));
}

function secretVariablesOf(sources: EnvironmentSources, fields: readonly CredentialField[], environment: Texts) {
  const untyped = sources.credentials.filter((credential) => credential.fields === null);
  const declaredSecret = new Set([
    ...Object.keys(environment).filter((key) => isSecretType(sources.app.environment[key]?.type)),
    ...secretKeywords(fields),
    ...untyped.flatMap((credential) => Object.keys(credential.values)),
    ...(sources.secretVariables ?? []),
  ]);
  return new Set([...declaredSecret].filter((key) => Object.hasOwn(environment, key)));
}

/** What is shown of the environment and the arguments of an attempt. */
export type MaskedEnvironment = Pick<ResolvedEnvironment, 'environment' | 'executable' | 'arguments'>;

/**
 * Resolves what an attempt is given that gets no secrets: each secret value is the mask, also where a placeholder copies
 * it, and so is each secret that the authors of its records wrote elsewhere. One-off values stay as they are: whoever
 * gives them would learn from the masks which of them are secrets.
 * @param redact masks the secrets in a text.
 */
export async function maskEnvironment(
  sources: EnvironmentSources,
  secretVariables: ReadonlySet<string>,
  redact: (text: string) => Promise<string>,
): Promise<MaskedEnvironment> {
  const { app, overrides } = sources;
  const layered = layerEnvironment(sources);
  const values = new Map<string, string>();
  for (const [key, value] of layered.values) {
    const shown = Object.hasOwn(overrides, key) ? value : await redact(value);
    values.set(key, secretVariables.has(key) ? mask : shown);
  }
  const args: string[] = [];
  for (const element of app.arguments) args.push(await redact(element));
  const replaced = replaceAll(args, { ...layered, values }, texts);
  const environment = Object.fromEntries(replaced.environment);
  return { environment, executable: await redact(app.executable), arguments: replaced.arguments };
}

/**
 * Lists the secret values that an attempt is given, with and without their placeholders: one value may have copied
 * another as it was saved. The values that the service sets are left out.
 */
function secretValues(
  keys: ReadonlySet<string>,
  service: Texts,
  environments: readonly ReadonlyMap<string, string>[],
): string[] {
  const own = [...keys].filter((key) => !Object.hasOwn(service, key));
  const values = environments.flatMap((environment) => own.flatMap((key) => environment.get(key) ?? []));
  return [...new Set(values)].filter((value) => !isTooShortToMask(value));
}

/** What credentials lack is checked when they are saved: a change of their type must not break the jobs of others. */
function missingMessage({ app }: EnvironmentSources, environment: Texts): string | null {
  const required = Object.keys(app.environment).filter((key) => app.environment[key]?.required);
  const missing = required.filter((key) => (ownText(environment, key) ?? '') === '');
  if (missing.length === 0) return null;
  const [noun, verb] = missing.length === 1 ? ['variable', 'has'] : ['variables', 'have'];
  return `the required ${noun} ${missing.join(', ')} ${verb} no value`;
}

function invalidMessage(variables: Readonly<Record<string, Variable>>, environment: Texts): string | null {
  const errors = Object.entries(variables).flatMap(([key, variable]) => {
    const problem = checkVariable(variable, ownText(environment, key) ?? '');
    return problem ? [`the variable ${key} ${problem}`] : [];
  });
  return errors.length > 0 ? errors.join('; ') : null;
}

/** Returns the value of a key, but no inherited property: a variable may be called `constructor`. */
function ownText(texts: Texts, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}
